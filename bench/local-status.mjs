/**
 * What a local service costs whose state is in a file with many jobs: to fill it, its first answer after a start, and a GET of a
 * job's status. `BENCH_STATE_JOBS` sets the number of jobs.
 */
import { fork } from 'node:child_process';
import { once as event } from 'node:events';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { printTable, verdict } from './measure.mjs';

const JOBS = Number(process.env.BENCH_STATE_JOBS ?? 100_000);
const GETS = 500;
const TARGETS = { get: 2, first: 1000, mebibytes: 400 };

const reporter = fileURLToPath(new URL('usage-on-request.cjs', import.meta.url));

async function start(berth, state, env) {
  // Nobody serves the endpoint, so that nothing but the requests costs time.
  const args = ['local', 'serve', '--port', '0', '--state', state, '--no-queue-limits', '--endpoint', 'bench'];
  const child = fork(berth, args, { env, execArgv: ['--require', reporter], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const key = new Promise((resolve) => {
    let text = '';
    child.stderr.on('data', (data) => {
      text += data;
      const found = /BERTH_API_KEY=(\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const [url] = await event(child.stdout, 'data');
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${await key}`, 'content-type': 'application/json' };
  const ask = (method, where, body) =>
    new Promise((resolve, reject) => {
      const sent = request(`${String(url).trim()}${where}`, { method, agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (data) => (text += data));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(`${method} ${where} was answered ${response.statusCode}`));
        });
      });
      sent.on('error', reject).end(body);
    });
  return {
    submit: async () => (await ask('POST', '/v2/bench/run', '{"input":{"text":"a short text of a job"}}')).id,
    get: (id) => ask('GET', `/v2/bench/status/${id}`),
    usage: async () => {
      child.send('usage');
      return (await event(child, 'message'))[0];
    },
    stop: () => {
      agent.destroy();
      child.kill('SIGTERM');
      return event(child, 'exit');
    },
  };
}

/** `berth` is the path of the launcher, `home` the folder for the state. */
export async function benchLocal({ berth, home, env }) {
  const state = path.join(home, 'state.json');
  const filled = await start(berth, state, env);
  let left = JOBS;
  let id;
  const submit = async () => {
    while (left-- > 0) id = await filled.submit();
  };
  await Promise.all(Array.from({ length: 16 }, submit));
  const filling = await filled.usage();
  await filled.stop();

  const service = await start(berth, state, env);
  await service.get(id);
  const first = await service.usage();
  for (let count = 0; count < GETS; count++) await service.get(id);
  const last = await service.usage();
  await service.stop();

  const get = (last.cpu - first.cpu) / GETS;
  printTable(
    `A local service with its state in a file and ${JOBS} jobs: CPU`,
    ['', 'ms', 'target', '', 'MiB', 'target', ''],
    [
      memoryRow('to submit a job, on average', (filling.cpu / JOBS).toFixed(2), undefined, filling),
      memoryRow('to start and give the first answer', first.cpu.toFixed(0), TARGETS.first, first),
      memoryRow('a GET of a job status', get.toFixed(2), TARGETS.get, last),
    ],
  );
}

const memoryRow = (name, shown, target, { mebibytes }) => [
  name,
  shown,
  target === undefined ? '' : String(target),
  target === undefined ? '' : verdict(Number(shown) <= target),
  mebibytes.toFixed(0),
  String(TARGETS.mebibytes),
  verdict(mebibytes <= TARGETS.mebibytes),
];
