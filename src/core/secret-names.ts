import { arrayOf, isObject, type Json, type JsonObject, stringOf } from './json.ts';

export const HIDDEN = '***';

const SECRET_WORDS = ['TOKEN', 'KEY', 'SECRET', 'PASSWORD', 'PASSWD', 'PASSPHRASE', 'CREDENTIAL', 'PASS'] as const;

const ORDINARY_WORDS = ['MONKEY', 'DONKEY', 'TURKEY', 'HOCKEY', 'JOCKEY', 'WHISKEY', 'COMPASS', 'BYPASS'] as const;

export type IsSecret = (name: string, value: Json) => boolean;

/** A placeholder, which the service replaces by the value of a secret: `{{ PREFIX_SECRET_name }}`. */
const PLACEHOLDER = /^\{\{ *\w+_SECRET_[^{}]+\}\}$/;

/** By the words in its name (`HF_TOKEN`, `dbPassword`). `more` also overrides the exceptions. */
export function createIsSecret(more: readonly string[]): IsSecret {
  // Without words, it matches nothing.
  const own = endingWith(more.length === 0 ? ['(?!)'] : more.map(partsOf));
  const secret = endingWith(SECRET_WORDS);
  const ordinary = new RegExp(`(${ORDINARY_WORDS.join('|')})S?(?=_|$)`, 'gu');
  return (name, value) => {
    const text = stringOf(value);
    const whole = partsOf(name);
    const parts = whole.replace(ordinary, '').replace(/PUB(LIC)?_?KEYS?(?=_|$)|^BERTH_CREATE_KEY$/g, '');
    if (text === '' || (text !== undefined && PLACEHOLDER.test(text))) return false;
    const isCount = parts.endsWith('TOKENS') && /^\d+$/.test(text ?? '');
    return own.test(whole) || (!isCount && secret.test(parts));
  };
}

/** Words have letters, digits and `_` alone. */
const endingWith = (words: readonly string[]): RegExp => new RegExp(`(${words.join('|')})S?(_|$)`, 'u');

const partsOf = (name: string): string =>
  name
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1_')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .toUpperCase();

/** Hides secrets of `env` and of changes to `env`, and passwords in addresses that other variables have. */
export function hideSecrets(value: Json, isSecret: IsSecret): Json {
  const items = arrayOf(value);
  if (items !== undefined) {
    const hidden = items.map((item) => hideSecrets(item, isSecret));
    return hidden.every((item, at) => item === items[at]) ? value : hidden;
  }
  if (!isObject(value)) return value;
  const isChange = value['field'] === 'env';
  return mapMembers(value, (name, member) =>
    isObject(member) && (name === 'env' || (isChange && (name === 'old' || name === 'new')))
      ? mapMembers(member, (variable, text) => (isSecret(variable, text) ? HIDDEN : withoutPassword(text)))
      : hideSecrets(member, isSecret),
  );
}

const PASSWORD_IN_ADDRESS = /(?<=^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:)[^/?#\s]+(?=@)/i;

const withoutPassword = (value: Json): Json => stringOf(value)?.replace(PASSWORD_IN_ADDRESS, HIDDEN) ?? value;

function mapMembers(value: JsonObject, change: (name: string, member: Json) => Json): Json {
  const after = Object.entries(value).map(([name, member = null]) => [name, change(name, member)] as const);
  return after.every(([name, member]) => member === (value[name] ?? null)) ? value : Object.fromEntries(after);
}
