import type { Socket } from 'node:net';
import buildConnector from 'undici/lib/core/connect.js';
import type { Bytes } from '../../core/unit-types.ts';

/** Shorter reads are copied: undici keeps the parts of a head, which is never longer, until it has all of them. */
const COPIED: Bytes = 16 * 1024;

/** The most that is read at once. Writing more at once to a file takes up to twice the CPU time (ext4, Linux 6.18). */
const LENT: Bytes = 128 * 1024;

/**
 * Connections without TLS. Node allocates memory for each read, a third of the CPU time of a download: these fill two buffers in
 * turn. So who gets a chunk of a body copies what it keeps.
 */
export function createPlainConnector(timeout: number): buildConnector.Connector {
  return (target, callback) => {
    let next: Uint8Array = Buffer.allocUnsafeSlow(COPIED);
    let spare: Uint8Array | undefined;
    const read = (count: Bytes, filled: Uint8Array): boolean => {
      const bytes = filled.subarray(0, count);
      if (count < filled.byteLength && count <= COPIED) return socket.push(Buffer.from(bytes));
      // A reader is slow, and undici has not taken the read before this one.
      const isHeld = socket.readableLength > 0;
      next = spare === undefined || isHeld ? Buffer.allocUnsafeSlow(LENT) : spare;
      spare = filled.byteLength === LENT ? filled : undefined;
      return socket.push(bytes);
    };
    const onread = { buffer: () => next, callback: read };
    const socket: Socket = buildConnector({ timeout, highWaterMark: 2 * LENT, onread })(target, callback);
    return socket;
  };
}
