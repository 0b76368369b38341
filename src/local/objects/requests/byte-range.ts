import { ObjectError } from '../answers/object-error.ts';

/**
 * The range of a `Range` header, its end excluded; undefined where there is none, or one of a form that is not supported,
 * which is ignored (RFC 9110, 14.2). Throws the refusal of a range behind the end.
 */
export function byteRange(
  header: string | undefined,
  bytes: number,
): { readonly start: number; readonly end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    if (Number(last) === 0 || bytes === 0) throw notSatisfiable();
    return { start: Math.max(0, bytes - Number(last)), end: bytes };
  }
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= bytes) throw notSatisfiable();
  return { start: Number(first), end: last === '' ? bytes : Math.min(bytes, Number(last) + 1) };
}

const notSatisfiable = (): ObjectError =>
  new ObjectError(416, 'InvalidRange', 'The requested range is not satisfiable.');
