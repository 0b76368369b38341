/** A driver of the trials: a berth process with a home of its own, which is started again whenever it ends before the batch. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { findOutputProblems } from '../chaos/invariants.mjs';
import { sleep, start } from '../chaos/processes.mjs';

const RESTART_MS = 100;

/**
 * `command(first)` returns the arguments of berth, `env` what is added to the environment. `found` is called with each problem.
 * `explained(end, causes)` says whether an end has a cause.
 */
export function createDriver({ number, program, folder, command, env, secrets, found, explained }) {
  const home = path.join(folder, `driver-${number}`);
  const ends = {};
  const causes = new Set();
  /** What lasts: it also explains the end of a process that begins meanwhile. */
  const lasting = new Set();
  let running;
  let wanted = true;
  let starts = 0;

  const check = (ended) => {
    const name = ended.hung ? 'hung' : String(ended.code ?? ended.signal);
    ends[name] = (ends[name] ?? 0) + 1;
    const text = ended.stdout + ended.stderr;
    for (const wrong of findOutputProblems(text)) found(`output ${wrong}`, `driver ${number}: ${text.slice(-1500)}`);
    for (const secret of secrets)
      if (text.includes(secret)) found('output shows a password', `driver ${number}: ${text.slice(-1500)}`);
    if (wanted && !explained(ended, causes))
      found(
        `unexplained end ${name}`,
        `driver ${number} after ${[...causes].join(', ') || 'nothing'}: ${ended.stderr.slice(-1500)}`,
      );
  };
  const run = async () => {
    await mkdir(home, { recursive: true });
    const variables = {
      PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH ?? ''}`,
      HOME: home,
      TMPDIR: home,
      BERTH_CONFIG_DIR: path.join(home, 'config'),
      BERTH_DATA_DIR: path.join(home, 'data'),
      ...env,
    };
    while (wanted) {
      starts += 1;
      causes.clear();
      for (const cause of lasting) causes.add(cause);
      running = start([...program, ...command(starts === 1)], { cwd: home, env: variables, boundMs: null });
      const ended = await running.ended;
      check(ended);
      if (ended.code === 0 || ended.code === 13) return ended;
      await sleep(RESTART_MS);
    }
    return undefined;
  };
  const ended = run();

  return {
    number,
    home,
    ended,
    ends,
    get starts() {
      return starts;
    },
    get pid() {
      return running?.pid;
    },
    said: () => (running === undefined ? '' : running.said.stderr),
    isRunning: () => running !== undefined && !running.isOver,
    /** Names what may explain the next end. */
    cause: (text) => causes.add(text),
    /** Runs work during which the ends of this driver have a cause. */
    during: async (text, work) => {
      causes.add(text);
      lasting.add(text);
      try {
        return await work();
      } finally {
        lasting.delete(text);
        causes.add(text);
      }
    },
    signal: (name) => running?.signal(name),
    /** Ends it for good. */
    stop: async () => {
      wanted = false;
      running?.signal('SIGCONT');
      running?.signal('SIGKILL');
      await ended;
    },
  };
}
