import { usage } from '../core/failure.ts';
import type { Address } from '../core/addresses/http-address.ts';
import type { QueryValue } from '../core/api.ts';

export type Query = Readonly<Record<string, QueryValue>>;

/**
 * Builds a complete address from a base, unencoded path segments and a query. Each segment is encoded once and stays one
 * segment, whatever it contains (`a/b`, `%2e%2e`, `a?b`). Undefined query values are left out, and a list becomes one
 * pair for each of its values. No other code builds addresses. Fails with usage (2) for an empty segment, `.`, `..`, control characters, and text that is not valid Unicode.
 */
export function joinAddress(base: Address, segments: readonly string[], query: Query = {}): string {
  const path = segments.map((segment) => `/${encodeSegment(segment)}`).join('');
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const values: readonly (string | number | boolean)[] =
      value === undefined ? [] : typeof value === 'object' ? value : [value];
    return values.map((each) => `${encode(name, 'a query name')}=${encode(String(each), `the value of ${name}`)}`);
  });
  return `${base.origin}${base.prefix}${path === '' ? '/' : path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
}

/** Refuses exactly the segments that `isUsableId` refuses, and says why. */
function encodeSegment(segment: string): string {
  const shown = JSON.stringify(segment);
  if (segment === '') throw usage('an id or name is empty', 'Give the id as it was printed.');
  if (segment === '.' || segment === '..')
    throw usage(`${shown} is not an id or name`, 'Give the id as it was printed.');
  if (/\p{Cc}/u.test(segment))
    throw usage(`${shown} holds a control character`, 'Give the id as it was printed, on one line.');
  return encode(segment, shown);
}

function encode(text: string, what: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw usage(`${what} is not valid Unicode text`, 'Give it as it was printed.');
  }
}
