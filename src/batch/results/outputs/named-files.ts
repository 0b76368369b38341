import { arrayOf, isObject, memberOf, type Json } from '../../../core/json.ts';

/** A file that an output names. */
export interface NamedFile {
  readonly item: number;
  /** Position among the files of the item, from 1. */
  readonly index: number;
  /** As the output has it: it may be no address at all. */
  readonly address: Json;
}

/** Maximum number of files of one item. */
const MAX_FILES = 10_000;

/**
 * Returns the files that an output names at a dotted path, through lists (`images.url`); a path of `.` is the output
 * itself. A value that is null or missing names none.
 */
export function namedFiles(item: number, output: Json, path: string): readonly NamedFile[] {
  const steps = path === '.' ? [] : path.split('.');
  return valuesAt(output, steps)
    .slice(0, MAX_FILES)
    .map((address, at) => ({ item, index: at + 1, address }));
}

function valuesAt(value: Json | undefined, steps: readonly string[]): readonly Json[] {
  if (value === undefined || value === null) return [];
  const items = arrayOf(value);
  const [first, ...rest] = steps;
  if (items !== undefined && (first === undefined || !/^\d+$/.test(first)))
    return items.flatMap((each) => valuesAt(each, steps));
  if (first === undefined) return [value];
  return isObject(value) || items !== undefined ? valuesAt(memberOf(value, first), rest) : [];
}

/** Characters of the last part of a name, about. */
const MAX_NAME = 80;

/**
 * Returns a name that has only letters, digits, `.`, `-` and `_`, and begins with the numbers of the item and of the file:
 * it is a name in the folder and nowhere else, and no two files have the same one.
 */
export function fileNameOf({ item, index }: NamedFile, url: URL): string {
  const last = url.pathname.split('/').findLast((part) => part !== '') ?? '';
  const safe = decoded(last)
    .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/^[._-]+/, '')
    .slice(-MAX_NAME)
    .replace(/\.+$/, '');
  return `${String(item).padStart(6, '0')}-${index}-${safe === '' ? 'file' : safe}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
