/** A message of the protocol of PostgreSQL: its type, its length and its body. */
export function messageOf(type: string, ...parts: readonly (string | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(part);
      const number = Buffer.alloc(4);
      number.writeUInt32BE(part);
      return number;
    }),
  );
  const head = Buffer.alloc(5, type);
  head.writeUInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

/** An error that ends the connection. */
export const errorMessage = (code: string, text: string): Buffer =>
  messageOf('E', 'SFATAL\0', 'VFATAL\0', `C${code}\0`, `M${text}\0`, '\0');
