/**
 * Submits jobs to a local service and takes them as workers do, in a separate process: workers that do nothing, take batches
 * and report each job. Sends the seconds from the first submission to the last result. Plain sockets, because a client library
 * would be what is measured. Without workers it only submits.
 */
import { connect } from 'node:net';

const { url, key, workers, batch, jobs, submitters, reporters } = JSON.parse(process.argv[2]);
const { hostname, port } = new URL(url);

/** A connection that sends one request at a time. */
function createConnection() {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let rest = '';
  let answered = () => undefined;
  socket.on('data', (chunk) => {
    rest += chunk.latin1Slice();
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, end))?.[1] ?? 0);
    if (rest.length < end + 4 + length) return;
    const answer = { status: Number(rest.slice(9, 12)), body: rest.slice(end + 4, end + 4 + length) };
    rest = '';
    answered(answer);
  });
  socket.on('error', (error) => {
    throw error;
  });
  return {
    send: (method, path, authorization, body = '') =>
      new Promise((resolve) => {
        answered = resolve;
        const length = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
        socket.write(
          `${method} ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: ${authorization}\r\n${length}\r\n${body}`,
        );
      }),
    end: () => socket.destroy(),
  };
}

const client = 'Bearer berth-local-full-access';
let submitted = 0;
let done = 0;
let finish;
const finished = new Promise((resolve) => (finish = resolve));

async function submit() {
  const connection = createConnection();
  while (submitted < jobs) {
    submitted += 1;
    const { status } = await connection.send('POST', '/v2/bench/run', client, `{"input":{"n":${submitted}}}`);
    if (status !== 200) throw new Error(`a submission was answered ${status}`);
  }
  connection.end();
}

async function work(id) {
  const taker = createConnection();
  const idle = Array.from({ length: reporters }, createConnection);
  while (done < jobs) {
    const { status, body } = await taker.send(
      'GET',
      `/worker/bench/job-take-batch/${id}?service=local&batch_size=${batch}&job_in_progress=0`,
      key,
    );
    if (status !== 200) continue;
    const taken = JSON.parse(body);
    await Promise.all(
      idle.map(async (connection) => {
        for (let job = taken.pop(); job !== undefined; job = taken.pop()) {
          const path = `/worker/bench/job-done/${id}/${job.id}?service=local&isStream=false`;
          const result = await connection.send('POST', path, key, JSON.stringify({ output: job.input }));
          if (result.status !== 200) throw new Error(`a result was answered ${result.status}`);
          done += 1;
          if (done === jobs) finish();
        }
      }),
    );
  }
}

const started = performance.now();
for (let worker = 1; worker <= workers; worker++) void work(`bench-${worker}`);
const submissions = Promise.all(Array.from({ length: submitters }, submit));
await (workers === 0 ? submissions : finished);
process.send({ seconds: (performance.now() - started) / 1000 }, () => process.exit());
