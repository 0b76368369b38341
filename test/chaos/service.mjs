/** The local service of one round: a separate process with its state in a file, which events kill and restart. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sleep, start, until } from './processes.mjs';

const WALL_CLOCK_OFFSET = fileURLToPath(new URL('./wall-clock-offset.cjs', import.meta.url));
const HANDLER = fileURLToPath(new URL('./handler.mjs', import.meta.url));
const START_TIMEOUT_MS = 30_000;
const CONTROL_TIMEOUT_MS = 20_000;

/** Environment that makes a Node process take its wall clock from a file. */
export const clockEnvironment = (file) => ({ NODE_OPTIONS: `--require ${WALL_CLOCK_OFFSET}`, BERTH_CHAOS_CLOCK: file });

/** Sets the wall clock of all processes that follow a file: milliseconds from the real time. */
export async function setClock(file, offsetMs) {
  await writeFile(`${file}.new`, String(offsetMs));
  await rename(`${file}.new`, file);
}

/** `env` is the environment of its processes. Throws when the service does not start or does not answer. */
export function createService({ command, folder, env, endpoint }) {
  const state = path.join(folder, 'service.json');
  const clock = path.join(folder, 'service.clock');
  /** The mark of the input of every job that was ever in the state, by the id of the job. */
  const jobs = new Map();
  const texts = [];
  let running;
  let url;
  let key;
  let port = 0;
  let offsetMs = 0;

  /** Reads the jobs from the state file, which has every answered submission until its job is deleted. */
  const readJobs = async () => {
    const text = await readFile(state, 'utf8').catch(() => '');
    if (text === '') return;
    for (const { id, input } of Object.values(JSON.parse(text).parts.queue?.jobs ?? {}))
      if (input !== undefined && !jobs.has(id)) jobs.set(id, JSON.parse(input).mark);
  };

  const open = async () => {
    const args = ['local', 'serve', '--port', String(port), '--state', state, '--endpoint', `work=${HANDLER}`];
    running = start([...command, ...args], {
      cwd: folder,
      env: { ...env, ...clockEnvironment(clock) },
      boundMs: null,
    });
    const process = running;
    texts.push(process.said);
    const ready = await until(
      () => (/API_KEY=\S+\n/.test(process.said.stderr) || process.isOver ? true : undefined),
      START_TIMEOUT_MS,
    );
    if (ready === undefined || process.isOver)
      throw new Error(`the local service does not start: ${process.said.stderr}`);
    url = process.said.stdout.trim();
    key = /BERTH_API_KEY=(\S+)/.exec(process.said.stderr)[1];
    port = Number(new URL(url).port);
  };

  const control = (method, where, body) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      };
      const asked = request(
        `${url}${where}`,
        { method, headers, agent: false, timeout: CONTROL_TIMEOUT_MS },
        (answer) => {
          let said = '';
          answer.setEncoding('utf8').on('data', (piece) => (said += piece));
          answer.on('end', () => {
            if (answer.statusCode < 300) resolve(said);
            else reject(new Error(`${method} ${where}: ${answer.statusCode} ${said}`));
          });
        },
      );
      asked.on('timeout', () => asked.destroy(new Error(`${method} ${where}: no answer from the local service`)));
      asked.on('error', reject).end(text);
    });

  /** With a signal that it obeys: at a SIGKILL it may forget its last second, which no service may do to a batch. */
  const kill = async (signal = 'SIGTERM') => {
    running.signal('SIGCONT');
    running.signal(signal);
    const ended = await Promise.race([running.ended, sleep(START_TIMEOUT_MS)]);
    if (ended === undefined) {
      running.signal('SIGKILL');
      await running.ended;
      throw new Error(`the local service does not end after ${signal}`);
    }
    await readJobs();
    return ended;
  };

  return {
    begin: async () => {
      await setClock(clock, 0);
      await open();
      await control('PATCH', `/v2/serverless/${endpoint}`, { workers: { min: 3, max: 6 } });
    },
    environment: () => ({ BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_REST_URL: url, BERTH_API_KEY: key }),
    key: () => key,
    offset: () => offsetMs,
    kill,
    open,
    readJobs,
    /** Whether the process has ended without being killed. */
    isGone: () => running.isOver,
    addFault: (fault) => control('POST', '/local/fault', fault),
    clearFaults: () => control('DELETE', '/local/fault'),
    advance: (advanceMs) => control('POST', '/local/clock', { advanceMs }),
    /** Moves the wall clock. The process is paused, so that no job is accepted and deleted without being read. */
    jump: async (byMs) => {
      running.signal('SIGSTOP');
      await sleep(5);
      await readJobs();
      offsetMs += byMs;
      await setClock(clock, offsetMs);
      running.signal('SIGCONT');
    },
    pause: async (forMs) => {
      running.signal('SIGSTOP');
      await sleep(forMs);
      running.signal('SIGCONT');
    },
    said: () => texts.map(({ stdout, stderr }) => stdout + stderr).join(''),
    /** Returns how often the service accepted each mark. */
    submissionCounts: () => {
      const counts = new Map();
      for (const mark of jobs.values()) counts.set(mark, (counts.get(mark) ?? 0) + 1);
      return counts;
    },
    markOf: (job) => jobs.get(job),
  };
}
