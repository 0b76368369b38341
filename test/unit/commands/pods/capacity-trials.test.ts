import { expect, test } from 'vitest';
import { remoteService, type Fault, type RemoteService } from '../../../support/servers/remote-service.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { killedRuns, worldAt } from '../../../support/worlds/killed-runs.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

// Waits for capacity whose requests are lost, refused or rate limited, and whose process is killed between any two of them;
// each is run again with its key until it ends.

const WAITS = 20;
const SEED = Date.now() % 2 ** 31;
const MAX_PRICE = 2.5;
/** For so long a list does not have a new pod. Milliseconds. */
const LAG_MS = 20_000;
/** After so many runs of one wait, it is not disturbed any more. */
const DISTURBED_RUNS = 12;

/** Returns a function that returns numbers from 0 up to 1; the same seed gives the same numbers. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    // The constants of a linear congruential generator modulo 2^32.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Pod {
  readonly id: string;
  readonly name: string;
  readonly cost: number;
  readonly env: Readonly<Record<string, string>>;
}

const podsOf = async ({ send }: RemoteService): Promise<readonly Pod[]> =>
  (await send('GET', '/v2/pods')).body['pods'] as readonly Pod[];

test(`${String(WAITS)} waits with lost answers, refusals and kills end with one pod each, none above the price (seed ${String(SEED)})`, async () => {
  const random = createRandom(SEED);
  const counts = { runs: 0, killed: 0, lost: 0, failed: 0 };
  let isDisturbed = false;
  const kill = async (): Promise<never> => {
    counts.killed += 1;
    return await runs.kill();
  };
  const setStock = async (): Promise<void> => {
    const free = random() < 0.5 ? 0 : 8;
    await remote.send('POST', '/local/stock', { hardware: random() < 0.5 ? 'GPU-80G' : 'GPU-48G', free });
    if (random() < 0.5)
      await remote.send('POST', '/local/prices', { hardware: 'GPU-48G', price: random() < 0.5 ? 0.86 : 3 });
  };
  const directory = temporaryDirectory();
  const remote: RemoteService = await remoteService(({ method, url, body }): Fault | undefined => {
    if (!isDisturbed) return undefined;
    const roll = random();
    if (roll < 0.05) return { first: kill };
    if (roll < 0.1)
      return {
        first: async () => {
          await remote.send(method, url, body.length === 0 ? undefined : body.toString());
          await kill();
        },
      };
    if (roll < 0.15) return { refuse: 429 };
    if (roll < 0.2) return { refuse: 503 };
    if (roll < (method === 'GET' ? 0.3 : 0.45)) {
      counts.lost += 1;
      return 'lose';
    }
    // Between what the catalog said and the create.
    if (roll < 0.6) return { first: setStock };
    return undefined;
  });
  for (const { id } of await podsOf(remote)) await remote.send('DELETE', `/v2/pods/${id}`);
  await remote.send('POST', '/local/fault', { kind: 'replica-lag', latencyMs: LAG_MS });
  const runs = killedRuns(remote.clock);
  /** Runs a wait; undefined when it was killed. */
  const run = async (key: string): Promise<number | undefined> => {
    const world = Object.assign(worldAt(remote.env, directory), { random });
    const argv = ['pods', 'create', '--name', key, '--image', 'a/b:1', '--idempotency-key', key];
    const flags = ['--gpu', 'GPU-80G', '--gpu', 'GPU-48G', '--max-price', String(MAX_PRICE), '--until-available', '6h'];
    const ran = await runs.run(world, [...argv, ...flags, '-o', 'id']);
    if (ran !== undefined) expect([0, 2, 3, 5, 6, 7, 8, 9, 15], ran.err).toContain(ran.code);
    return ran?.code;
  };

  for (let wait = 0; wait < WAITS; wait++) {
    const key = `wait-${String(wait)}`;
    for (let tries = 1; ; tries++) {
      counts.runs += 1;
      isDisturbed = tries <= DISTURBED_RUNS;
      if (!isDisturbed) await remote.send('DELETE', '/local/stock');
      const code = await run(key);
      isDisturbed = false;
      if (code === 0) break;
      // Only the list tells of what an earlier run did, and only that run would terminate it.
      remote.clock.advance(LAG_MS);
      for (const { id, name, cost } of await podsOf(remote))
        if (name === key && cost > MAX_PRICE) await remote.send('DELETE', `/v2/pods/${id}`);
      if (code !== undefined) counts.failed += 1;
      expect(tries).toBeLessThan(DISTURBED_RUNS + 5);
    }
    remote.clock.advance(LAG_MS);
    const pods = (await podsOf(remote)).filter(({ name }) => name === key);
    expect(pods.map(({ env }) => env['BERTH_CREATE_KEY'])).toEqual([key]);
    expect(pods[0]?.cost).toBeLessThanOrEqual(MAX_PRICE);
  }
  expect(await podsOf(remote)).toHaveLength(WAITS);
  expect(counts.killed).toBeGreaterThan(WAITS / 10);
  expect(counts.lost).toBeGreaterThan(0);
  await runs.end(remote.server.stop);
});

test('two at once with one key end with one pod, the older one, which both return', async () => {
  let posts = 0;
  const waiting: (() => void)[] = [];
  const remote = await remoteService(({ method, url }) =>
    method !== 'POST' || url !== '/v2/pods'
      ? undefined
      : {
          // Both have found no pod before either creates one.
          first: async () => {
            posts += 1;
            if (posts === 2) for (const go of waiting) go();
            else await new Promise<void>((resolve) => waiting.push(resolve));
          },
        },
  );
  const before = (await podsOf(remote)).length;
  const argv = ['pods', 'create', '--name', 'one', '--gpu', 'GPU-80G', '--image', 'a/b:1', '--idempotency-key', 'k'];
  const random = createRandom(7);
  const runs = await Promise.all(
    [1, 2].map(() => berthIn(Object.assign(createTestWorld({ env: remote.env }), { random }), [...argv, '-o', 'id'])),
  );
  expect(posts).toBe(2);
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  const pods = (await podsOf(remote)).filter(({ name }) => name === 'one');
  expect(pods).toHaveLength(1);
  expect(runs.map(({ out }) => out.trim())).toEqual([pods[0]?.id, pods[0]?.id]);
  expect(await podsOf(remote)).toHaveLength(before + 1);
});
