/**
 * A queue service with fixed answers, in a process of its own. It counts the submissions of each item, whose number is the
 * member `n` of the input, and ends each job after a set time. A job's id holds its item and the time of its acceptance, so
 * that the service keeps nothing else. Its parent sets how it answers, and asks for the counts.
 */
import { createServer } from 'node:net';

const { items, batches = 1 } = JSON.parse(process.argv[2]);
/** How often each item was accepted. */
const accepted = new Uint8Array(items * batches + 1);
/** When each submission was accepted, in milliseconds of the monotonic clock, and its item. */
const times = [];
const state = {
  /** Milliseconds from the acceptance of a job to its end. */
  workMs: 20,
  /** Milliseconds until a submission is answered. */
  answerMs: 0,
  /** Fraction of submissions that are accepted and never answered: their connection is closed. */
  lost: 0,
  /** Until this time, submissions are answered with 429 and this Retry-After, in seconds. */
  throttledUntil: 0,
  retryAfter: 1,
  /** Whether the times of submissions are kept. */
  keepTimes: false,
};
const sums = { submissions: 0, polls: 0, throttled: 0, early: 0 };

const answer = (status, body, headers = '') =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

function submit(body) {
  const now = performance.now();
  if (now < state.throttledUntil) {
    sums.throttled += 1;
    return answer('429 Too Many Requests', '{"error":"rate limit"}', `retry-after: ${state.retryAfter}\r\n`);
  }
  const item = Number(/"n":\s*(\d+)/.exec(body)?.[1]);
  if (!(item >= 1 && item < accepted.length)) return answer('422 Unprocessable', '{"error":"not an item"}');
  accepted[item] += 1;
  sums.submissions += 1;
  if (state.keepTimes) times.push([now, item]);
  if (Math.random() < state.lost) return undefined;
  const id = `${item}-${accepted[item]}-${Math.round(Date.now())}`;
  return answer('200 OK', `{"id":"${id}","status":"IN_QUEUE"}`);
}

function status(id) {
  sums.polls += 1;
  const [item, , at] = id.split('-').map(Number);
  if (Date.now() < at + state.workMs) return answer('200 OK', `{"id":"${id}","status":"IN_PROGRESS"}`);
  const body = `{"id":"${id}","status":"COMPLETED","output":{"n":${item}},"delayTime":1,"executionTime":${state.workMs}}`;
  return answer('200 OK', body);
}

const server = createServer((socket) => {
  let rest = '';
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    let text = rest + chunk.latin1Slice();
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const head = text.slice(0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (text.length < end + 4 + length) break;
      const body = text.slice(end + 4, end + 4 + length);
      text = text.slice(end + 4 + length);
      respond(socket, head, body);
    }
    rest = text;
  });
});

function respond(socket, head, body) {
  const [, operation, id] = /^\w+ \/v2\/[^/ ]+\/(\w+)\/?([\w-]*)/.exec(head) ?? [];
  if (operation === 'run') {
    const said = submit(body);
    if (said === undefined) socket.destroy();
    else if (state.answerMs === 0) socket.write(said);
    else setTimeout(() => socket.write(said), state.answerMs);
  } else if (operation === 'status') socket.write(status(id));
  else if (operation === 'health') socket.write(answer('200 OK', '{"jobs":{},"workers":{}}'));
  else socket.write(answer('404 Not Found', '{"error":"not found"}'));
}

process.on('message', ({ ask, set }) => {
  if (set !== undefined) {
    const { throttleMs, ...rest } = set;
    Object.assign(state, rest);
    if (throttleMs !== undefined) state.throttledUntil = performance.now() + throttleMs;
    process.send({ done: true });
  } else if (ask === 'counts') process.send({ counts: Buffer.from(accepted).toString('base64'), sums });
  else if (ask === 'times') process.send({ times });
  else process.send({ sums });
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
