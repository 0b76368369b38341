import { describe, expect, test } from 'vitest';
import {
  createBatchWorld,
  items,
  local,
  RESUME,
  RUN,
  secondProcess,
  summary,
  write,
} from '../support/batch/command-fixture.ts';
import { countSubmissions } from '../support/batch/check-journal.ts';
import { berthIn } from '../support/worlds/run-berth.ts';

const LAG = ['fault', 'add', 'replica-lag', '--latency'];
const VOLUME = 'volumes create lab --size 10 --data-center EU-WEST-1 --type STANDARD -o id'.split(' ');
const POD = 'pods create --name lab --gpu GPU-24G --image example/pytorch:2.8 -o id'.split(' ');
const ECHO = ['jobs', 'run', 'echo', '--input', '{"n":1}'];

const SLEEP = ['jobs', 'run', 'sleep', '--input', '{"seconds":60}'];

/** A world whose service shows what is new only after this time. */
async function lagging(lag: string) {
  const world = await createBatchWorld();
  await local(world, ...LAG, lag);
  return world;
}

/** What creates something, and what is run right afterwards with its id in the place of ID. */
const AFTERWARDS: readonly (readonly [name: string, create: readonly string[], line: string])[] = [
  ['jobs wait', ECHO, 'jobs wait echo ID'],
  ['jobs stream', ECHO, 'jobs stream echo ID'],
  ['jobs status', ECHO, 'jobs status echo ID'],
  ['jobs cancel', SLEEP, 'jobs cancel sleep ID'],
  ['pods wait', POD, 'pods wait ID'],
  ['pods get', POD, 'pods get ID'],
  ['pods terminate', POD, 'pods terminate ID --yes'],
  ['volumes delete', VOLUME, 'volumes delete ID --yes'],
  ['volumes update', VOLUME, 'volumes update ID --name x'],
];

describe('a replica that lags by three seconds', () => {
  test.each<readonly [string, readonly string[]]>([
    ['jobs run --wait', [...ECHO, '--wait']],
    ['jobs run --sync', ['jobs', 'run', 'sleep', '--input', '{"seconds":1.5}', '--sync', '--sync-wait', '1s']],
    ['jobs run --stream', ['jobs', 'run', 'stream', '--input', '{"chunks":3}', '--stream']],
    ['pods create --wait', [...POD, '--wait']],
  ])('%s asks again until what it created is there', async (_, argv) => {
    const world = await lagging('3s');
    const ran = await berthIn(world, argv);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out).not.toBe('');
  });

  test.each(AFTERWARDS)('%s asks again for what this machine has just created', async (_, create, line) => {
    const world = await lagging('3s');
    const id = (await berthIn(world, create)).out.trim();
    const ran = await berthIn(world, line.replace('ID', id).split(' '));
    expect(ran.code, ran.err).toBe(0);
  });

  test('a batch completes, and sends nothing twice', async () => {
    const world = await lagging('3s');
    write(world, 'in.jsonl', items(20));
    const ran = await berthIn(world, [...RUN, '--json']);
    expect(summary(ran)).toMatchObject({ completed: 20, expired: 0 });
    expect([...(await countSubmissions(world.store)).values()].every((count) => count === 1)).toBe(true);
  });
});

describe('right after a job was submitted, with a replica that lags by three seconds', () => {
  test('jobs retry waits for the job, and never offers to submit it again', async () => {
    const made = await lagging('3s');
    const id = (await berthIn(made, ECHO)).out.trim();
    const ran = await berthIn(made, ['jobs', 'retry', 'echo', id]);
    expect(ran.code).toBe(5);
    expect(ran.err).not.toContain('jobs run');
  });

  test('jobs explain says that it is not there yet', async () => {
    const made = await lagging('1h');
    const id = (await berthIn(made, ECHO)).out.trim();
    const ran = await berthIn(made, ['jobs', 'explain', 'echo', id, '--json']);
    expect(JSON.parse(ran.out)).toMatchObject({ code: 'not-there-yet', state: 'waiting' });
    expect((JSON.parse(ran.out) as { cure: unknown }).cure).toEqual([`berth jobs wait echo ${id}`]);
  });

  test('jobs status that finds nothing for a minute does not offer to submit it again', async () => {
    const made = await lagging('1h');
    const id = (await berthIn(made, ECHO)).out.trim();
    const ran = await berthIn(made, ['jobs', 'status', 'echo', id]);
    expect(ran.code).toBe(4);
    expect(ran.err).toContain('Do not submit it again');
    expect(ran.err).not.toContain('jobs run');
  });
});

describe('a job that this machine has submitted to another endpoint', () => {
  test.each(['status', 'cancel', 'retry', 'wait', 'stream'])('jobs %s ends 4 and names that one', async (verb) => {
    const made = await createBatchWorld();
    const id = (await berthIn(made, SLEEP)).out.trim();
    const before = made.clock.monotonic();
    const ran = await berthIn(made, ['jobs', verb, 'echo', id]);
    expect(ran.code, ran.err).toBe(4);
    expect(ran.err).toContain(`It was submitted to sleep. Run berth jobs status sleep ${id}`);
    expect(ran.err).not.toContain('not there yet');
    expect(made.clock.monotonic() - before).toBeLessThan(11_000);
  });
});

describe('a 404 that stays', () => {
  test('ends the wait for a job after ten seconds with 4', async () => {
    const world = await lagging('1h');
    const before = world.clock.monotonic();
    const ran = await berthIn(world, [...ECHO, '--wait']);
    expect(ran).toMatchObject({ code: 4 });
    expect(world.clock.monotonic() - before).toBeGreaterThanOrEqual(10_000);
    expect(world.clock.monotonic() - before).toBeLessThan(16_000);
  });

  test('is believed at once for a job that this machine does not know', async () => {
    const world = await createBatchWorld();
    const before = world.clock.monotonic();
    const unknown = await berthIn(world, ['jobs', 'wait', 'echo', 'no-such-job']);
    expect(unknown).toMatchObject({ code: 4 });
    expect(world.clock.monotonic() - before).toBeLessThan(1000);
  });

  test('makes an item of a batch expired after a minute; a resume sends nothing again', async () => {
    const world = await lagging('5m');
    write(world, 'in.jsonl', items(6));
    const ran = await berthIn(world, [...RUN, '--json']);
    expect(ran).toMatchObject({ code: 13 });
    expect(summary(ran)).toMatchObject({ completed: 0, expired: 6 });
    await local(world, 'fault', 'clear');
    const again = await berthIn(secondProcess(world), [...RESUME, '--json']);
    expect([again.code, summary(again)]).toMatchObject([13, { completed: 0, expired: 6 }]);
    expect([...(await countSubmissions(world.store)).values()].every((count) => count === 1)).toBe(true);
  });
});

describe('a 404 for an id that this machine created within the last minute', () => {
  const created = async (argv: readonly string[], lag: string) => {
    const world = await lagging(lag);
    return { world, id: (await berthIn(world, argv)).out.trim() };
  };

  test('is final after ten seconds', async () => {
    const { world, id } = await created(POD, '1h');
    const before = world.clock.monotonic();
    expect((await berthIn(world, ['pods', 'get', id])).code).toBe(4);
    expect(world.clock.monotonic() - before).toBeGreaterThanOrEqual(10_000);
    expect(world.clock.monotonic() - before).toBeLessThan(12_000);
  });

  test.each([
    ['after a minute', 61_000],
    ['once this machine has deleted it', 0],
  ])('is final at once %s', async (_, later) => {
    const { world, id } = await created(VOLUME, later === 0 ? '0s' : '1h');
    if (later === 0) await berthIn(world, ['volumes', 'delete', id, '--yes']);
    world.clock.advance(later);
    const before = world.clock.monotonic();
    expect((await berthIn(world, ['volumes', 'get', id])).code).toBe(4);
    expect(world.clock.monotonic()).toBe(before);
  });
});
