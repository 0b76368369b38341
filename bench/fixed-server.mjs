/**
 * A minimal queue server in a separate process: answers every submission with a new id and every poll with the same result.
 * When its parent asks, it reports how many submissions it received, and when.
 */
import { createServer } from 'node:net';

const answer = (body) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
/** An answer with a ten-digit id: the text before and after the id, prepared once. */
const aroundId = (rest) => answer(`{"id":"0123456789"${rest}}`).split('0123456789');
const TAKEN = aroundId(',"status":"IN_QUEUE"');
const DONE = aroundId(',"status":"COMPLETED","output":{"ok":true},"delayTime":1,"executionTime":1');

let [submissions, looks, first, last] = [0, 0, 0, 0];
let ids = 0;
const look = process.argv[2] === 'waiting' ? TAKEN : DONE;

const server = createServer((socket) => {
  let rest = '';
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    let text = rest === '' ? chunk.latin1Slice() : rest + chunk.latin1Slice();
    for (;;) {
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) break;
      const length = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
      if (text.length < end + 4 + length) break;
      if (text.startsWith('POST')) {
        submissions += 1;
        last = performance.now();
        first ||= last;
        ids += 1;
        socket.write(TAKEN[0] + String(ids).padStart(10, '0') + TAKEN[1]);
      } else {
        looks += 1;
        const id = /\/status\/(\d+)/.exec(text.slice(0, end))?.[1] ?? '0000000000';
        socket.write(look[0] + id + look[1]);
      }
      text = text.slice(end + 4 + length);
    }
    rest = text;
  });
});

process.on('message', () => {
  process.send({ submissions, looks, seconds: (last - first) / 1000 });
  [submissions, looks, first, last] = [0, 0, 0, 0];
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
