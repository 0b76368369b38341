import { arrayOf, isObject, memberOf, type Json } from '../../../core/json.ts';
import { isLoopback } from '../../../core/addresses/http-address.ts';
import { usage } from '../../../core/failure.ts';

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
  return `${String(item).padStart(6, '0')}-${String(index)}-${safe === '' ? 'file' : safe}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Parses the values of --fetch-from: `HOST` for the default port, or `HOST:PORT`. Each is one host, without wildcards, so
 * that every host is one that the user named: also a private address, and the target of a redirect. Over https the
 * certificate proves the host; plain http is for this machine only. Fails with usage (2).
 */
export function allowedHosts(values: readonly string[]) {
  const hosts = new Set(values.map(parseHost));
  return {
    /** Returns the parsed address, or why it is refused. */
    check: (address: string, base?: string): { readonly url: URL } | { readonly refused: string } => {
      const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
      if (url === undefined || !/^https?:$/.test(url.protocol)) return { refused: 'it is not an https address' };
      if (url.username !== '' || url.password !== '') return { refused: 'its address holds a user name or password' };
      if (url.protocol === 'http:' && !isLoopback(url.hostname))
        return { refused: 'its address is plain http, not https' };
      if (!hosts.has(url.host)) return { refused: `--fetch-from does not name its host, ${url.host}` };
      return { url };
    },
  };
}

export type AllowedHosts = ReturnType<typeof allowedHosts>;

function parseHost(value: string): string {
  const text = `https://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || value.includes('*') || /[/?#@\\\s]/.test(value) || url.host === '')
    throw usage(
      `--fetch-from takes a host, not ${JSON.stringify(value)}`,
      'Write it as files.example.com or files.example.com:8443, and the option once for each host.',
    );
  return url.host;
}

/** The host of an address for a list of hosts; undefined for anything that is not an address. */
export const hostOf = (address: string): string | undefined =>
  URL.canParse(address) && /^https?:$/.test(new URL(address).protocol) ? new URL(address).host : undefined;
