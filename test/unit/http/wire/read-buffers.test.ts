import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Ending } from '../../../../src/http/transport.ts';
import { createTransport } from '../../../../src/http/wire/client.ts';
import { onRequest, serveTcp } from '../../../support/servers/http-server.ts';

const KIB = 1024;

/** Bytes that differ everywhere. */
const BODY = Buffer.from(Uint32Array.from({ length: 500 * KIB }, (_, at) => Math.imul(at, 2_654_435_761)).buffer);

const FIELDS = Array.from({ length: 100 }, (_, at) => [`x-${String(at)}`, BODY.toString('hex', at * 32, at * 32 + 32)]);

const HEAD = [
  'HTTP/1.1 200 OK',
  ...FIELDS.map((field) => field.join(': ')),
  `content-length: ${String(BODY.byteLength)}\r\n\r\n`,
].join('\r\n');

const hash = (bytes: readonly Uint8Array[]): string =>
  bytes.reduce((sum, each) => sum.update(each), createHash('sha256')).digest('hex');

/** Sends an answer in pieces of these lengths, over and over. */
async function sendPieces(socket: Socket, lengths: readonly number[]): Promise<void> {
  const answer = Buffer.concat([Buffer.from(HEAD), BODY]);
  for (let at = 0, turn = 0; at < answer.byteLength; turn += 1) {
    const end = at + (lengths[turn % lengths.length] ?? 1);
    socket.write(answer.subarray(at, end));
    at = end;
    await setImmediate();
  }
}

test.each([
  ['at once', [BODY.byteLength * 2]],
  ['in small pieces, a head among them', [900, 7, 1200, 31, 2000, 30 * KIB]],
  ['in small and large pieces', [5, 700 * KIB, 17 * KIB, 300 * KIB, 1]],
  ['in pieces as long as the buffers', [16 * KIB, 128 * KIB]],
])('bodies that come %s are whole, also for a slow reader, all on one connection', async (_, lengths) => {
  let connections = 0;
  const server = await serveTcp((socket) => {
    connections += 1;
    socket.setNoDelay(true);
    onRequest(socket, () => void sendPieces(socket, lengths));
  });
  const transport = createTransport({ env: {} });
  onTestFinished(() => transport.close());
  const request = { method: 'GET', url: `${server.url}/file`, headers: {}, body: undefined };

  for (let each = 0; each < 3; each += 1) {
    const taken: Uint8Array[] = [];
    const take = (chunk: Uint8Array): unknown => taken.push(Buffer.from(chunk));
    await transport({ ...request, ending: new Ending(), take });
    expect(hash(taken)).toBe(hash([BODY]));

    const read: Uint8Array[] = [];
    const answer = await transport({ ...request, ending: new Ending() });
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      read.push(chunk);
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    }
    expect(hash(read)).toBe(hash([BODY]));
    expect(answer.headers).toMatchObject(Object.fromEntries(FIELDS));
  }
  expect(connections).toBe(1);
});
