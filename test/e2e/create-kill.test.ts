import { spawn, type ChildProcess } from 'node:child_process';
import { expect, test } from 'vitest';
import { remoteService, type Fault } from '../support/servers/remote-service.ts';
import { berthPath, cleanEnvironment } from './support.ts';

// SIGKILL of the installed program at each request of a create with a key. BERTH_CREATE_KILLS=200 kills so many, at random.

interface Pod {
  readonly id: string;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
}

/** At its nth request, from 0, before the service does what is asked, or after it. */
interface Kill {
  readonly at: number;
  readonly after: boolean;
}

const COUNT = Number(process.env['BERTH_CREATE_KILLS'] ?? '0');
/** How many creates are under way at once. */
const AT_ONCE = 8;

/** The requests of a create with two candidates: the list, the catalog, the create, and the list. */
const REQUESTS = 4;

const KILLS: readonly Kill[] =
  COUNT > 0
    ? Array.from({ length: COUNT }, () => ({ at: Math.floor(Math.random() * REQUESTS), after: Math.random() < 0.5 }))
    : Array.from({ length: 2 * REQUESTS }, (_, index) => ({ at: index >> 1, after: index % 2 === 1 }));

/** A service that kills the program once. */
async function killedProgram(kill: Kill) {
  let child: ChildProcess | undefined;
  let requests = 0;
  const remote = await remoteService(({ method, url, body }): Fault | undefined => {
    if (requests++ !== kill.at || child === undefined) return undefined;
    return {
      first: async () => {
        if (kill.after) await remote.send(method, url, body.length === 0 ? undefined : body.toString());
        child?.kill('SIGKILL');
        await new Promise(() => undefined);
      },
    };
  });
  const env = await cleanEnvironment(remote.env);
  const run = async (argv: readonly string[]) => {
    const started = spawn(berthPath(), argv, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    const [out, err]: [string[], string[]] = [[], []];
    started.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
    started.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text));
    const signal = await new Promise<string | null>((resolve) => started.on('close', (_, by) => resolve(by)));
    child = undefined;
    return { out: out.join('').trim(), err: err.join(''), signal };
  };
  return { remote, run };
}

async function createWithKill(key: string, kill: Kill): Promise<void> {
  const { run, remote } = await killedProgram(kill);
  const flags = ['--gpu', 'GPU-80G', '--gpu', 'GPU-48G', '--until-available', '10m', '--idempotency-key', key];
  const argv = ['pods', 'create', '--name', key, '--image', 'a/b:1', ...flags, '-o', 'id'];
  expect((await run(argv)).signal).toBe('SIGKILL');
  const second = await run(argv);
  const pods = ((await remote.send('GET', '/v2/pods')).body['pods'] as readonly Pod[]).filter(
    ({ name }) => name === key,
  );
  expect(
    pods.map(({ id, env: variables }) => [id, variables['BERTH_CREATE_KEY']]),
    second.err,
  ).toEqual([[second.out, key]]);
}

test(
  `a create with a key that is killed at any of its requests, and run again, makes one pod (${String(KILLS.length)} kills)`,
  { timeout: 300_000 * Math.max(1, KILLS.length / 40) },
  async () => {
    for (let from = 0; from < KILLS.length; from += AT_ONCE)
      await Promise.all(
        KILLS.slice(from, from + AT_ONCE).map((kill, at) => createWithKill(`kill-${String(from + at)}`, kill)),
      );
  },
);
