import { expect, test } from 'vitest';
import { forEachAtOnce, killedProgram, type Kill } from './killed-program.ts';

// SIGKILL of the installed program at each request of a create with a key. BERTH_CREATE_KILLS=200 kills so many, at random.

interface Pod {
  readonly id: string;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
}

const COUNT = Number(process.env['BERTH_CREATE_KILLS'] ?? '0');
/** How many creates are under way at once. */
const AT_ONCE = 8;

/** The requests of a create with two candidates: the list, the catalog, the create, and the list. */
const REQUESTS = 4;

const KILLS: readonly Kill[] =
  COUNT > 0
    ? Array.from({ length: COUNT }, () => ({ at: Math.floor(Math.random() * REQUESTS), after: Math.random() < 0.5 }))
    : Array.from({ length: REQUESTS }, (_, at) => [
        { at, after: false },
        { at, after: true },
      ]).flat();

async function createWithKill(key: string, kill: Kill): Promise<readonly string[]> {
  const { run, remote } = await killedProgram(kill);
  const flags = ['--gpu', 'GPU-80G', '--gpu', 'GPU-48G', '--until-available', '10m', '--idempotency-key', key];
  const argv = ['pods', 'create', '--name', key, '--image', 'a/b:1', ...flags, '-o', 'id'];
  const first = await run(argv);
  const second = first.signal === 'SIGKILL' ? await run(argv) : first;
  const pods = ((await remote.send('GET', '/v2/pods')).body['pods'] as readonly Pod[]).filter(
    ({ name }) => name === key,
  );
  expect(
    pods.map(({ id, env: variables }) => [id, variables['BERTH_CREATE_KEY']]),
    second.err,
  ).toEqual([[second.out, key]]);
  return first.signal === null ? [] : [first.signal];
}

test(
  `a create with a key that is killed at any of its requests, and run again, makes one pod (${String(KILLS.length)} kills)`,
  { timeout: 300_000 * Math.max(1, KILLS.length / 40) },
  async () => {
    const killed: string[] = [];
    await forEachAtOnce([...KILLS.entries()], AT_ONCE, async ([index, kill]) => {
      killed.push(...(await createWithKill(`kill-${String(index)}`, kill)));
    });
    expect(killed).toHaveLength(KILLS.length);
  },
);
