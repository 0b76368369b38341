/** Headers as undici passes them to a handler. */
export type UndiciHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** One value per header: the values of a header that was sent several times are joined with `, `. */
export function flatHeaders(headers: UndiciHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}

/** The same bytes as a Buffer, without a copy. */
export const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
