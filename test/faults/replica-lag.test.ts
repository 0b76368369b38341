import { describe, expect, test } from 'vitest';
import {
  createBatchWorld,
  items,
  local,
  OUT,
  read,
  RESUME,
  RUN,
  secondProcess,
  summary,
  write,
} from '../support/batch/command-fixture.ts';
import { countSubmissions } from '../support/batch/check-journal.ts';
import { berthIn } from '../support/worlds/run-berth.ts';

const LAG = ['fault', 'add', 'replica-lag', '--latency'];
const ECHO = ['jobs', 'run', 'echo', '--input', '{"n":1}'];

describe('a replica that lags by two seconds', () => {
  test.each<readonly [string, readonly string[]]>([
    ['run --wait', [...ECHO, '--wait']],
    ['run --sync', ['jobs', 'run', 'sleep', '--input', '{"seconds":1.5}', '--sync', '--sync-wait', '1s']],
    ['run --stream', ['jobs', 'run', 'stream', '--input', '{"chunks":3}', '--stream']],
  ])('%s asks again until the job is there', async (_, argv) => {
    const world = await createBatchWorld();
    await local(world, ...LAG, '2s');
    const ran = await berthIn(world, argv);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out).not.toBe('');
  });

  test.each(['wait', 'stream'])('jobs %s asks again for a job that this machine has just submitted', async (verb) => {
    const world = await createBatchWorld();
    await local(world, ...LAG, '2s');
    const id = (await berthIn(world, ECHO)).out.trim();
    const ran = await berthIn(world, ['jobs', verb, 'echo', id]);
    expect(ran, ran.err).toMatchObject({ code: 0 });
  });

  test('jobs wait asks again for several jobs', async () => {
    const world = await createBatchWorld();
    await local(world, ...LAG, '2s');
    const ids = [(await berthIn(world, ECHO)).out.trim(), (await berthIn(world, ECHO)).out.trim()];
    const ran = await berthIn(world, ['jobs', 'wait', 'echo', ...ids, '--json']);
    expect(ran.code, ran.err).toBe(0);
  });

  test('a batch completes, and sends nothing twice', async () => {
    const world = await createBatchWorld();
    await local(world, ...LAG, '2s');
    write(world, 'in.jsonl', items(20));
    const ran = await berthIn(world, [...RUN, '--json']);
    expect(summary(ran)).toMatchObject({ completed: 20, expired: 0 });
    expect([...(await countSubmissions(world.store)).values()].every((count) => count === 1)).toBe(true);
  });

  test.each<readonly [string, readonly string[]]>([
    ['create --wait', []],
    ['wait', ['pods', 'wait']],
  ])('pods %s asks again until the pod is there', async (_, after) => {
    const world = await createBatchWorld();
    await local(world, ...LAG, '2s');
    const create = [
      'pods',
      'create',
      '--name',
      'lab',
      '--gpu',
      'GPU-24G',
      '--image',
      'example/pytorch:2.8',
      '-o',
      'id',
    ];
    const ran = await berthIn(world, [...create, ...(after.length === 0 ? ['--wait'] : [])]);
    expect(ran.code, ran.err).toBe(0);
    if (after.length === 0) return;
    const waited = await berthIn(world, [...after, ran.out.trim(), '-o', 'json']);
    expect(waited.code, waited.err).toBe(0);
    expect(JSON.parse(waited.out)).toMatchObject({ status: 'RUNNING' });
  });
});

describe('a 404 that stays', () => {
  test('ends the wait for a job after a minute with 4', async () => {
    const world = await createBatchWorld();
    await local(world, ...LAG, '1h');
    const before = world.clock.monotonic();
    const ran = await berthIn(world, [...ECHO, '--wait']);
    expect(ran).toMatchObject({ code: 4 });
    expect(world.clock.monotonic() - before).toBeGreaterThanOrEqual(60_000);
    expect(world.clock.monotonic() - before).toBeLessThan(70_000);
  });

  test('is believed at once for a job that this machine does not know, and for one whose time to live is over', async () => {
    const world = await createBatchWorld();
    const unknown = await berthIn(world, ['jobs', 'wait', 'echo', 'no-such-job']);
    expect(unknown).toMatchObject({ code: 4 });
    const id = (await berthIn(world, [...ECHO, '--ttl', '10s'])).out.trim();
    await local(world, 'clock', 'advance', '11s');
    world.clock.advance(11_000);
    const asked = await berthIn(world, ['jobs', 'wait', 'echo', id]);
    expect(asked).toMatchObject({ code: 4 });
    expect(world.clock.slept.every((milliseconds) => milliseconds < 1000)).toBe(true);
  });

  test('makes an item of a batch expired after a minute; a resume asks once more and keeps what it finds', async () => {
    const world = await createBatchWorld();
    await local(world, ...LAG, '5m');
    write(world, 'in.jsonl', items(6));
    const ran = await berthIn(world, [...RUN, '--json']);
    expect(ran).toMatchObject({ code: 13 });
    expect(summary(ran)).toMatchObject({ completed: 0, expired: 6 });
    const still = await berthIn(secondProcess(world), [...RESUME, '--json']);
    expect(summary(still)).toMatchObject({ completed: 0, expired: 6 });
    await local(world, 'fault', 'clear');
    const again = await berthIn(secondProcess(world), [...RESUME, '--json']);
    expect(again).toMatchObject({ code: 0 });
    expect(summary(again)).toMatchObject({ completed: 6, expired: 0 });
    expect([...(await countSubmissions(world.store)).values()].every((count) => count === 1)).toBe(true);
    const lines = read(world, OUT).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { status: string }).status)).toEqual(Array(6).fill('COMPLETED'));
  });

  test('is not asked about once more when the service keeps results no longer', async () => {
    const world = await createBatchWorld();
    await local(world, ...LAG, '1h');
    write(world, 'in.jsonl', items(3));
    await berthIn(world, [...RUN, '--json']);
    await local(world, 'fault', 'clear');
    world.clock.advance(31 * 60_000);
    const before = world.clock.slept.length;
    const again = await berthIn(secondProcess(world), [...RESUME, '--json']);
    expect(summary(again)).toMatchObject({ completed: 0, expired: 3 });
    expect(world.clock.slept.length).toBe(before);
  });
});
