import { usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';

/** `@secret:hf-token` in the value of a variable. */
const REFERENCE = /^@secret:(.*)$/s;

/** `{{ PREFIX_SECRET_name }}`, whatever the prefix. The names of secrets: additions 7. */
const PLACEHOLDER = /\{\{\s*[A-Za-z][A-Za-z0-9_]*?_SECRET_([a-zA-Z_][a-zA-Z0-9_.\-/]*)\s*\}\}/g;

/** The text that the service replaces by the value of a secret when a container starts (additions 7). */
export const placeholderOf = (prefix: string, name: string): string => `{{ ${prefix}_SECRET_${name} }}`;

/** The names of the secrets that a variable refers to. */
export const secretNamesIn = (value: string): readonly string[] =>
  [...value.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? []);

/**
 * Whether the service may leave a placeholder as it is: it is said to replace `{{ PREFIX_SECRET_name }}` alone, and nothing is
 * said of other spaces and of text around it (additions 7). Another prefix than the one that the profile names is also
 * perhaps none.
 */
export const isUnusualPlaceholder = (value: string, prefix: string | undefined): boolean => {
  const names = secretNamesIn(value);
  if (names.length === 0) return false;
  return prefix === undefined
    ? !/^\{\{ [A-Za-z][A-Za-z0-9_]*_SECRET_[^ {}]+ \}\}$/.test(value)
    : value !== placeholderOf(prefix, names[0] ?? '');
};

/**
 * The value of a variable, with the placeholder in the place of `@secret:NAME`. `prefix` is what the profile says
 * placeholders begin with. Fails with usage (2) for a reference without a name or a prefix.
 */
export function withPlaceholder(value: string, prefix: string | undefined): string {
  const name = REFERENCE.exec(value)?.[1];
  if (name === undefined) return value;
  if (!/^[a-zA-Z_][a-zA-Z0-9_.\-/]*$/.test(name))
    throw usage(
      `@secret: takes the name of a secret, not ${JSON.stringify(name)}`,
      sentence`See ${berth`secrets list`}.`,
    );
  if (prefix === undefined)
    throw usage(
      'the prefix of the placeholders of secrets is not known for this service',
      sentence`Its documentation says what stands before _SECRET_ in {{ PREFIX_SECRET_name }}: ${berth`config set secret-prefix`}, with that text`,
    );
  return placeholderOf(prefix, name);
}
