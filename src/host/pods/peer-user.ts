import { readFileSync } from 'node:fs';

/**
 * Whether a connection over the loopback address comes from a user: from a process of this one, or of root. True where the system
 * does not say whose a connection is, as only Linux does (/proc/net/tcp). `peer` and `own` are the ports of both ends.
 */
export function isPeerOf(
  user: number | undefined,
  { peer, own }: { readonly peer: number; readonly own: number },
): boolean {
  if (user === undefined) return true;
  let table: string;
  try {
    table = readFileSync('/proc/net/tcp', 'latin1');
  } catch {
    return true;
  }
  return userOfConnection(table, peer, own).some((each) => each === user || each === 0);
}

/** The users of the connections between two ports of 127.0.0.1, as the end with `from` has them. */
export const userOfConnection = (table: string, from: number, to: number): readonly number[] =>
  table.split('\n').flatMap((line) => {
    const [, local, remote, , , , , uid] = line.trim().split(/\s+/);
    return local === loopback(from) && remote === loopback(to) ? [Number(uid)] : [];
  });

/** An end of a connection as the table has it; its bytes are in the order of the processor, which Node runs on little-endian. */
const loopback = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
