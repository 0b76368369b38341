import { arrayOf, encodeJson, isObject, type Json, type JsonObject, stringOf, tryDecodeJson } from './json.ts';

export const HIDDEN = '***';

const SECRET_WORDS = ['TOKEN', 'KEY', 'SECRET', 'PASSWORD', 'PASSWD', 'PASSPHRASE', 'CREDENTIAL', 'PASS'] as const;

/** A part that is one of these says so too. */
const SECRET_PARTS = /(^|_)(PAT|PWD|AUTH|COOKIE|DSN|PEM|WEBHOOK|SALT)S?(?=_|$)/;

export type IsSecret = (name: string, value: Json) => boolean;

/** A placeholder, which the service replaces by the value of a secret: `{{ PREFIX_SECRET_name }}`. */
const PLACEHOLDER = /^\{\{ *\w+_SECRET_[^{}]+\}\}$/;

/** By the words in its name (`HF_TOKEN`, `dbPassword`). `more` also overrides the exceptions. */
export function createIsSecret(more: readonly string[]): IsSecret {
  // Without words, it matches nothing.
  const own = endingWith(more.length === 0 ? ['(?!)'] : more.map(partsOf));
  const secret = endingWith(SECRET_WORDS);
  return (name, value) => {
    const text = stringOf(value);
    const whole = partsOf(name);
    const parts = whole.replace(/PUB(LIC)?_?KEYS?(?=_|$)|^(BERTH_CREATE_KEY|PWD)$/g, '');
    if (text === '' || (text !== undefined && PLACEHOLDER.test(text))) return false;
    const isCount = parts.endsWith('TOKENS') && /^\d+$/.test(text ?? '');
    return own.test(whole) || (!isCount && (secret.test(parts) || SECRET_PARTS.test(parts)));
  };
}

const endingWith = (words: readonly string[]): RegExp => new RegExp(`(${words.join('|')})S?(_|$)`);

/** A letter beyond ASCII ends a part: V8 takes long to make the tables of all letters. */
const partsOf = (name: string): string => name.replace(/([a-z\d])(?=[A-Z])|[^A-Za-z\d]+/g, '$1_').toUpperCase();

/** By `***`: secret variables in each `env`, in commands the values of secret flags and assignments, and passwords in addresses. */
export function hideSecrets(value: Json, isSecret: IsSecret): Json {
  const items = arrayOf(value);
  if (items !== undefined) {
    const hidden = items.map((item) => hideSecrets(item, isSecret));
    return hidden.every((item, at) => item === items[at]) ? value : hidden;
  }
  if (!isObject(value)) return value;
  const changed = stringOf(value['field']);
  return mapMembers(value, (name, member) => {
    const field = changed !== undefined && (name === 'old' || name === 'new') ? changed : name;
    if (COMMANDS.includes(field)) return hideInCommand(member, isSecret);
    return field === 'env' && isObject(member)
      ? mapMembers(member, (variable, text) => (isSecret(variable, text) ? HIDDEN : withoutPassword(text)))
      : hideSecrets(member, isSecret);
  });
}

/** The members that are a command: a text, its words, or both of its parts as JSON in a text. */
const COMMANDS: readonly string[] = ['args', 'entrypoint', 'cmd'];

function hideInCommand(command: Json, isSecret: IsSecret): Json {
  const text = stringOf(command);
  const parts = text === undefined ? undefined : tryDecodeJson(text);
  if (isObject(parts)) return encodeJson(hideSecrets(parts, isSecret));
  const words = arrayOf(command) ?? [command];
  const hidden = hideInWords(words, isSecret);
  if (hidden.every((word, at) => word === words[at])) return command;
  return text === undefined ? hidden : (hidden[0] ?? null);
}

/** White space, and words with what they quote. */
const TOKENS = /\s+|(?:"[^"]*"|'[^']*'|[^\s"'])+|["']/g;

function hideInWords<T extends Json>(words: readonly T[], isSecret: IsSecret): readonly (T | string)[] {
  let flag = '';
  return words.map((each) => {
    const word = stringOf(each) ?? '';
    if (/^\s*\\?$/.test(word)) return each;
    const before = flag;
    flag = /^--?([A-Za-z][\w-]*)$/.exec(word)?.[1] ?? '';
    if (before !== '' && !word.startsWith('-') && isSecret(before, word)) return HIDDEN;
    const [, start = '', name = '', value = ''] = /^(["']?-{0,2}([A-Za-z][\w-]*)=)([^]*)$/.exec(word) ?? [];
    if (name !== '' && isSecret(name, value)) return start + HIDDEN;
    const [, quote = '', inner = word] = /^(["'])([^]*)\1$/.exec(word) ?? [];
    const tokens = inner.match(TOKENS) ?? [];
    return tokens.length > 1 ? quote + hideInWords(tokens, isSecret).join('') + quote : withoutPassword(each);
  });
}

/** A password in an address, such as `postgres://user:password@host/`, alone or after `--flag=`. */
const PASSWORD_IN_ADDRESS = /(?<=^(?:[\w-]+=)?["']?[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:)[^/?#\s]+(?=@)/i;

const withoutPassword = <T extends Json>(value: T): T | string =>
  stringOf(value)?.replace(PASSWORD_IN_ADDRESS, HIDDEN) ?? value;

function mapMembers(value: JsonObject, change: (name: string, member: Json) => Json): Json {
  const after = Object.entries(value).map(([name, member = null]) => [name, change(name, member)] as const);
  return after.every(([name, member]) => member === (value[name] ?? null)) ? value : Object.fromEntries(after);
}
