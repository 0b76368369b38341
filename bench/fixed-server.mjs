/**
 * A minimal queue server in a separate process: answers every submission with a new id and every poll with the same result,
 * or, as `spread`, with what a job gives that runs for 0.5 to 3 s. When its parent asks, it reports how many submissions it received, and when.
 */
import { createServer } from 'node:net';

const answer = (body) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
/** As long as the ids of the service: V8 keeps each text of at most ten characters that is in JSON in a table. */
const idOf = (number) => `80000000-${String(number).padStart(8, '0')}-u1`;
/** An answer with an id: the text before and after the id, prepared once. */
const aroundId = (rest) => answer(`{"id":"${idOf(0)}"${rest}}`).split(idOf(0));
const TAKEN = aroundId(',"status":"IN_QUEUE"');
const DONE = aroundId(',"status":"COMPLETED","output":{"ok":true},"delayTime":1,"executionTime":1');

/** Of submissions. Sender and server become fast within it: the rate is of what came after. */
const WARM_UP_MS = 3000;
let [submissions, looks, first, last, warm, warmFrom] = [0, 0, 0, 0, 0, 0];
let ids = 0;
const look = process.argv[2] === 'waiting' ? TAKEN : DONE;
/** When each job was submitted; kept for `spread` only. */
const submittedAt = process.argv[2] === 'spread' ? new Map() : undefined;
const RUNNING = (ranMs) => aroundId(`,"status":"IN_PROGRESS","delayTime":0,"executionTime":${ranMs}`);
const ENDED = (ranMs) => aroundId(`,"status":"COMPLETED","output":{"ok":true},"delayTime":0,"executionTime":${ranMs}`);

/** The answer about a job that began when it was submitted, and whose duration depends on its id alone. */
function spread(id) {
  const durationMs =
    500 + Math.floor((2500 * ((Number(id.slice(9, 17)) * 2_654_435_761) % 4_294_967_296)) / 4_294_967_296);
  const ageMs = Math.floor(performance.now() - (submittedAt.get(id) ?? 0));
  return ageMs < durationMs ? RUNNING(ageMs) : ENDED(durationMs);
}

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
        if (warmFrom > 0) warm += 1;
        else if (last - first >= WARM_UP_MS) warmFrom = last;
        ids += 1;
        const id = idOf(ids);
        submittedAt?.set(id, last);
        socket.write(TAKEN[0] + id + TAKEN[1]);
      } else {
        looks += 1;
        const id = /\/status\/([\w-]+)/.exec(text.slice(0, end))?.[1] ?? idOf(0);
        const [before, after] = submittedAt === undefined ? look : spread(id);
        socket.write(before + id + after);
      }
      text = text.slice(end + 4 + length);
    }
    rest = text;
  });
});

process.on('message', () => {
  process.send({ submissions, looks, seconds: (last - first) / 1000, rate: (warm / (last - warmFrom)) * 1000 });
  [submissions, looks, first, last, warm, warmFrom] = [0, 0, 0, 0, 0, 0];
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
