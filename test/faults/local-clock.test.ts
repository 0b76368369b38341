import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

import { berthIn } from '../support/worlds/run-berth.ts';
import { createTestClock, type TestClock } from '../support/clocks/test-clock.ts';
import { localFixture, type LocalFixture, POD_BODY } from '../support/local/service-fixture.ts';
import { fileStore, SHORT_TURNS } from '../support/local/file-store.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';

// Row 35 of docs/faults.md: the wall clock jumps; here for the local service.

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const timeOf = async ({ send }: LocalFixture): Promise<number> =>
  Date.parse(String((await send('GET', '/local/clock')).body['now']));

/** The path of a state file that is removed after the test. */
function stateFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-clock-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return join(folder, 'state.json');
}

/** A local service as another process would open it: its monotonic clock starts at another value. */
function processOn(path: string, wall: number): LocalFixture & { readonly clock: TestClock } {
  const clock = createTestClock(wall);
  return { ...localFixture({ clock, store: fileStore(path, SHORT_TURNS) }), clock };
}

describe('while a local service is served', () => {
  it.each([3 * HOUR, -3 * HOUR, 3650 * DAY, -3650 * DAY])('a jump of %i ms does not count as time', async (jump) => {
    const clock = createTestClock();
    const service = localFixture({ clock });
    const { body } = await service.send('POST', '/v2/sleep/run', { input: { seconds: 60 } });
    const status = async (): Promise<unknown> =>
      (await service.send('GET', `/v2/sleep/status/${String(body['id'])}`)).body['status'];
    const before = await timeOf(service);
    clock.advance(10 * SECOND);
    clock.jumpWall(jump);
    expect([await timeOf(service), await status()]).toEqual([before + 10 * SECOND, 'IN_PROGRESS']);
    clock.advance(60 * SECOND);
    expect([await timeOf(service), await status()]).toEqual([before + 70 * SECOND, 'COMPLETED']);
  });

  it('many short steps add up to the elapsed time', async () => {
    const clock = createTestClock();
    const service = localFixture({ clock });
    const before = await timeOf(service);
    for (let step = 0; step < 100; step++) {
      clock.advance(0.25);
      await timeOf(service);
    }
    expect(await timeOf(service)).toBe(before + 25);
  });

  it('a wait ends at its timeout', async () => {
    const clock = createTestClock();
    const service = localFixture({ clock });
    const answer = service.send('POST', '/v2/sleep/runsync?wait=5000', { input: { seconds: 3000 } });
    clock.jumpWall(-10 * DAY);
    expect((await answer).body['status']).toBe('IN_PROGRESS');
    expect(clock.monotonic()).toBeLessThan(7 * SECOND);
  });

  it('a wait ends at its timeout even if the clock was advanced before and is reset meanwhile', async () => {
    const clock = createTestClock();
    const service = localFixture({ clock });
    await service.send('POST', '/local/clock', { advanceMs: 10 * DAY });
    await service.send('POST', '/local/fault', { kind: 'latency', latencyMs: 2000, count: 1 });
    const late = service.send('GET', '/v2/pods');
    await service.send('POST', '/local/reset');
    expect((await late).status).toBe(200);
    expect(clock.monotonic()).toBeLessThan(3 * SECOND);
  });
});

describe('between two processes', () => {
  const start = Date.UTC(2026, 0, 1);

  it('the time advances by the difference of the wall clock', async () => {
    const path = stateFile();
    const before = await timeOf(processOn(path, start));
    expect(await timeOf(processOn(path, start + 2 * DAY))).toBe(before + 2 * DAY);
  });

  it('a wall clock that was set back counts as no time, and later time counts again', async () => {
    const path = stateFile();
    const early = processOn(path, start + 3 * HOUR);
    const { body } = await early.send('POST', '/v2/pods', POD_BODY);
    const before = await timeOf(early);
    const later = processOn(path, start);
    expect(await timeOf(later)).toBe(before);
    later.clock.advance(60 * SECOND);
    expect(await timeOf(later)).toBe(before + 60 * SECOND);
    expect((await later.send('GET', `/v2/pods/${String(body['id'])}`)).body['status']).toBe('RUNNING');
    // The same holds for every later process.
    await later.send('POST', '/v2/echo/run', { input: {} });
    expect(await timeOf(processOn(path, start + 70 * SECOND))).toBe(before + 70 * SECOND);
  });

  it('an advance in one process moves the time of the other', async () => {
    const path = stateFile();
    const [first, second] = [processOn(path, start), processOn(path, start)];
    const before = await timeOf(first);
    expect(await timeOf(second)).toBe(before);
    await second.send('POST', '/local/clock', { advanceMs: DAY });
    expect(await timeOf(first)).toBe(before + DAY);
    first.clock.advance(SECOND);
    expect(await timeOf(first)).toBe(before + DAY + SECOND);
  });

  it('time never goes back, even if the processes have different wall clocks', async () => {
    const path = stateFile();
    const [first, second] = [processOn(path, start), processOn(path, start - 5 * HOUR)];
    let last = 0;
    for (let turn = 0; turn < 10; turn++)
      for (const each of [first, second]) {
        each.clock.advance(SECOND);
        await each.send('POST', '/v2/echo/run', { input: {} });
        const now = await timeOf(each);
        expect(now).toBeGreaterThanOrEqual(last);
        last = now;
      }
    expect(last).toBeLessThan(start + 30 * SECOND);
  });
});

it('the Date of an answer is the time of the service', async () => {
  const clock = createTestClock();
  const service = localFixture({ clock });
  const dateOf = async (path: string, key?: string | null): Promise<number> =>
    Date.parse((await service.send('GET', path, undefined, key)).headers.get('date') ?? '');
  expect(await dateOf('/v2/pods')).toBe(clock.now());
  await service.send('POST', '/local/clock', { advanceMs: 26 * HOUR });
  clock.jumpWall(-10 * DAY);
  const told = await timeOf(service);
  for (const path of ['/v2/pods', '/v2/echo/health', '/v2/none', '/none', '/v2/openapi.json'])
    expect([path, await dateOf(path)]).toEqual([path, told]);
  expect(await dateOf('/v2/pods', null)).toBe(told);
});

describe('after a run under a wrong wall clock', () => {
  it('doctor says how far the local service is ahead; after a reset nothing', async () => {
    const world = createTestWorld();
    const run = (...argv: readonly string[]) => berthIn(world, ['--local', ...argv]);
    world.clock.jumpWall(3 * HOUR);
    await run('volumes', 'list');
    world.clock.jumpWall(-3 * HOUR);
    const doctor = await run('doctor');
    expect([doctor.code, doctor.out]).toEqual([0, expect.stringMatching(/clock\s+OK\s+the local service is 3h ahead/)]);
    await run('local', 'reset', '--yes');
    expect((await run('doctor')).out).toMatch(/clock\s+OK\s+within a minute/);
  });
});
