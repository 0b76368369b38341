import { encodeJson, isList, isObject, type Json, type JsonObject, memberOf, stringOf, tryDecodeJson } from './json.ts';

export const HIDDEN = '***';

/** Words at the end of a part of a name, and words that are a whole part. */
const SECRET =
  /(TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|PASS|(^|_)(PAT|PWD|AUTH|COOKIE|DSN|PEM|WEBHOOK|SALT))S?(_|$)/;

export type IsSecret = (name: string, value: Json) => boolean;

/** A placeholder, which the service replaces by the value of a secret: `{{ PREFIX_SECRET_name }}`. */
const PLACEHOLDER = /^\{\{ *\w+_SECRET_[^{}]+\}\}$/;

/** By the words in its name (`HF_TOKEN`, `dbPassword`). `more` also overrides the exceptions. */
export function createIsSecret(more: readonly string[]): IsSecret {
  const own = more.length === 0 ? undefined : new RegExp(`(${more.map(partsOf).join('|')})S?(_|$)`);
  return (name, value) => {
    const whole = partsOf(name);
    const isOwn = own?.test(whole) === true;
    if (!isOwn && !SECRET.test(whole)) return false;
    const text = stringOf(value);
    if (text === '' || (text !== undefined && PLACEHOLDER.test(text))) return false;
    const parts = whole.replace(/PUB(LIC)?_?KEYS?(?=_|$)|^(BERTH_CREATE_KEY|PWD)$/g, '');
    return isOwn || (SECRET.test(parts) && !(parts.endsWith('TOKENS') && /^\d+$/.test(text ?? '')));
  };
}

/** V8 takes long to make the tables of all letters, which most names do not need. */
const partsOf = (name: string): string =>
  (/[^\0-\x7f]/.test(name)
    ? name.replace(/([\p{Ll}\p{N}])(?=\p{Lu})|[^\p{L}\p{N}]+/gu, '$1_')
    : name.replace(/([a-z\d])(?=[A-Z])|[^A-Za-z\d]+/g, '$1_')
  ).toUpperCase();

/** By `***`: secret variables in each `env`, in commands the values of secret flags and assignments, and passwords in addresses. */
export function hideSecrets(value: Json, isSecret: IsSecret): Json {
  if (!isList(value) && !isObject(value)) return value;
  const changed = stringOf(memberOf(value, 'field'));
  return mapMembers(value, (member, name) => {
    const field = changed !== undefined && (name === 'old' || name === 'new') ? changed : name;
    if (COMMANDS.includes(field)) return hideInCommand(member, isSecret);
    return field === 'env' && isObject(member)
      ? mapMembers(member, (text, variable) => (isSecret(variable, text) ? HIDDEN : withoutPassword(text)))
      : hideSecrets(member, isSecret);
  });
}

/** The members that are a command: a text, its words, or both of its parts as JSON in a text. */
const COMMANDS: readonly string[] = ['args', 'entrypoint', 'cmd'];

function hideInCommand(command: Json, isSecret: IsSecret): Json {
  if (isList(command)) return hideInWords(command, isSecret);
  const parts = typeof command === 'string' && /^\s*\{/.test(command) ? tryDecodeJson(command) : undefined;
  return isObject(parts) ? encodeJson(hideSecrets(parts, isSecret)) : (hideInWords([command], isSecret)[0] ?? null);
}

/** White space, and words with what they quote. */
const TOKENS = /\s+|(?:"[^"]*"|'[^']*'|[^\s"'])+|["']/g;

function hideInWords<T extends Json>(words: readonly T[], isSecret: IsSecret): readonly (T | string)[] {
  let flag = '';
  return mapMembers(words, (each) => {
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
  typeof value === 'string' && value.includes('@') ? value.replace(PASSWORD_IN_ADDRESS, HIDDEN) : value;

/** Of an object or a list; itself where nothing changes. */
function mapMembers<T extends JsonObject | readonly Json[]>(value: T, change: (member: Json, name: string) => Json): T {
  let copy: Record<string, Json> | undefined;
  for (const [name, member = null] of isList(value) ? value.entries() : Object.entries(value)) {
    const changed = change(member, String(name));
    if (changed !== member)
      (copy ??= (isList(value) ? [...value] : { ...value }) as Record<string, Json>)[name] = changed;
  }
  return (copy ?? value) as T;
}
