/**
 * A minimal queue server in a separate process: accepts every submission, and its result is its input. A result is
 * forgotten some time after it was fetched, so that memory does not grow with the batch, and a client that did not receive
 * it can ask again.
 */
import { createServer } from 'node:net';

const answer = (body) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** How many results that were fetched are kept. */
const KEPT = 10_000;

const inputs = new Map();
/** The last ids whose results were fetched; the oldest one is at `fetched % KEPT`. */
const fetchedIds = [];
let fetched = 0;
let ids = 0;

/** The input in the body of a submission without further members: `{"input":...}`. */
const inputOf = (body) => body.slice('{"input":'.length, -1);

function respond(head, body) {
  if (head.startsWith('POST')) {
    const id = String(++ids);
    inputs.set(id, inputOf(body));
    return `{"id":"${id}","status":"IN_QUEUE"}`;
  }
  const id = /\/status\/(\d+)/.exec(head)?.[1];
  if (id === undefined) return '{"jobs":{},"workers":{}}';
  const output = inputs.get(id) ?? 'null';
  inputs.delete(fetchedIds[fetched % KEPT]);
  fetchedIds[fetched % KEPT] = id;
  fetched += 1;
  return `{"id":"${id}","status":"COMPLETED","output":${output},"delayTime":1,"executionTime":1}`;
}

const server = createServer((socket) => {
  let rest = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    let data = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const end = data.indexOf('\r\n\r\n');
      if (end < 0) break;
      const head = data.toString('latin1', 0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (data.byteLength < end + 4 + length) break;
      socket.write(answer(respond(head, data.toString('utf8', end + 4, end + 4 + length))));
      data = data.subarray(end + 4 + length);
    }
    rest = data;
  });
});

process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
