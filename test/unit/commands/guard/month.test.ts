import { expect, test } from 'vitest';
import { POD_BODY } from '../../../support/local/service-fixture.ts';
import { remoteService, type RemoteService } from '../../../support/servers/remote-service.ts';
import { createTestClock, type TestClock } from '../../../support/clocks/test-clock.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

// Guards on three machines, with restarts, locks, reads that fail and clocks of these machines that jump.

const DAYS = 1;
const SEED = Date.now() % 2 ** 31;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TICK = 10 * MINUTE;
const START = Date.UTC(2026, 0, 1);

interface Pod {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** When the deadline is over, by the start and the creation of the pod; undefined for never. Milliseconds. */
  readonly end: (startedAt: number, createdAt: number) => number | undefined;
  readonly action: 'stop' | 'terminate';
}

interface Seen {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly startedAt: string | null;
  readonly createdAt: string;
  readonly locked: boolean;
}

const PODS: readonly Pod[] = Array.from({ length: 60 }, (_, at): Pod => {
  const hours = 2 + ((at * 7) % 29);
  const date = START + (hours + 5) * HOUR;
  const stop = { BERTH_STOP_AFTER: `${String(hours)}h` };
  if (at < 20)
    return { name: `stop-${String(at)}`, env: stop, end: (started) => started + hours * HOUR, action: 'stop' };
  if (at < 30)
    return {
      name: `date-${String(at)}`,
      env: { BERTH_STOP_AFTER: new Date(date).toISOString() },
      end: (started) => (started >= date ? undefined : date),
      action: 'stop',
    };
  if (at < 40)
    return {
      name: `end-${String(at)}`,
      env: { BERTH_TERMINATE_AFTER: `${String(hours)}h` },
      end: (_started, created) => created + hours * HOUR,
      action: 'terminate',
    };
  return { name: `free-${String(at)}`, env: { MODE: 'x' }, end: () => undefined, action: 'stop' };
});

const listed = async ({ send }: RemoteService): Promise<readonly Seen[]> =>
  (await send('GET', '/v2/pods')).body['pods'] as readonly Seen[];

/** Whether a guard must end a pod now, by the records of the service alone. */
function isDue({ name, status, startedAt, createdAt, locked }: Seen, now: number): boolean {
  const pod = PODS.find((each) => each.name === name);
  if (pod === undefined || locked) return false;
  if (pod.action === 'stop' && status !== 'RUNNING') return false;
  const end = pod.end(Date.parse(startedAt ?? ''), Date.parse(createdAt));
  return end !== undefined && end <= now;
}

/** Returns a function that is true with a probability; the same seed gives the same answers. */
function createChance(seed: number): (probability: number) => boolean {
  let state = seed;
  return (probability) => {
    // The constants of a linear congruential generator modulo 2^32.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 < probability;
  };
}

interface Machine {
  readonly clock: TestClock;
  readonly env: Readonly<Record<string, string>>;
  readonly everyTicks: number;
}

test(`for ${String(DAYS)} days, three guards end every pod that is due at their next sweep, and no other (seed ${String(SEED)})`, async () => {
  const chance = createChance(SEED);
  let isGuard = false;
  const remote = await remoteService(({ method }) =>
    isGuard && method === 'GET' && chance(0.2) ? { refuse: 503 } : undefined,
  );
  for (const { id } of await listed(remote)) await remote.send('DELETE', `/v2/pods/${id}`);
  for (const { name, env } of PODS)
    expect((await remote.send('POST', '/v2/pods', { ...POD_BODY, name, env })).status).toBe(201);
  const machines = [2, 6, 18].map((everyTicks): Machine => {
    const directory = temporaryDirectory();
    return { clock: createTestClock(START), env: { ...remote.env, BERTH_DATA_DIR: directory }, everyTicks };
  });

  const counts = { sweeps: 0, failed: 0, ended: 0 };
  for (let tick = 1; tick <= (DAYS * DAY) / TICK; tick++) {
    remote.clock.advance(TICK);
    for (const { clock } of machines) {
      clock.advance(TICK);
      if (chance(0.01)) clock.jumpWall((chance(0.5) ? 1 : -1) * 20 * HOUR);
    }
    for (const pod of await listed(remote)) {
      if (pod.status === 'EXITED' && chance(0.02))
        await remote.send('POST', `/v2/pods/${pod.id}/action`, { action: 'start' });
      if (chance(0.002)) await remote.send('PATCH', `/v2/pods/${pod.id}`, { locked: !pod.locked });
    }
    for (const { clock, env, everyTicks } of machines) {
      if (tick % everyTicks !== 0) continue;
      const before = await listed(remote);
      const now = remote.clock.now();
      isGuard = true;
      const ran = await berth(['guard', 'run', '--allow-terminate', '--json'], { env, clock });
      isGuard = false;
      const after = new Map((await listed(remote)).map((pod) => [pod.id, pod]));
      counts.sweeps += 1;
      for (const pod of before) {
        const status = after.get(pod.id)?.status;
        if (status === pod.status) continue;
        counts.ended += 1;
        expect(isDue(pod, now), `${pod.name} was ${pod.status} and is ${status ?? 'gone'} at ${String(tick)}`).toBe(
          true,
        );
      }
      const reached = [0, 15].includes(ran.code);
      if (!reached) counts.failed += 1;
      else
        expect(
          [...after.values()].filter((pod) => isDue(pod, now)).map(({ name }) => name),
          ran.out,
        ).toEqual([]);
    }
  }
  expect(counts.ended).toBeGreaterThan(20);
  expect(counts.failed).toBeGreaterThan(0);
});
