import { describe, expect, test } from 'vitest';
import { createAutoAdvancingClock } from '../../../../support/clocks/auto-advancing-clock.ts';
import { refuseBodies } from '../../../../support/servers/refusing-proxy.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';
import {
  secondProcess,
  items,
  waitForJobs,
  local,
  createBatchWorld,
  OUT,
  read,
  RESUME,
  RUN,
  summary,
  write,
} from '../../../../support/batch/command-fixture.ts';

const RUN_FAIL = ['jobs', 'batch', 'run', 'fail', ...RUN.slice(4)];
const RETRY = [...RESUME, '--retry-failed', '1'];
const ADVICE = 'berth jobs batch resume out.jsonl --resubmit failed';

describe('failed items', () => {
  test('are reported with their commonest error and its count', async () => {
    const world = await createBatchWorld();
    const other = items(5, ',"error":"disk \\u001b[31mfull"').split('\n').slice(2).join('\n');
    write(world, 'in.jsonl', items(2, ',"error":"out of memory"') + other);
    const ran = await berthIn(world, RUN_FAIL);
    expect(ran.code).toBe(13);
    expect(ran.err).toMatch(/^Most common error \(3 of 5\): .*disk .*full/m);
    expect(ran.err).not.toContain('\u001b');
    const there = await createBatchWorld();
    write(there, 'in.jsonl', items(2, ',"error":"out of memory"'));
    const asJson = await berthIn(there, [...RUN_FAIL, '--json']);
    expect(summary(asJson)).toMatchObject({ commonestError: { count: 2, error: 'out of memory' } });
  });

  test('are grouped by errors that differ only in numbers, ids, paths and addresses', async () => {
    const world = await createBatchWorld();
    const errors = [
      'cannot allocate 512 MiB',
      'cannot allocate 64 MiB',
      'no model at /models/a/b.bin',
      'cannot allocate 8 MiB',
    ];
    write(world, 'in.jsonl', errors.map((error) => items(1, `,"error":"${error}"`)).join(''));
    const ran = await berthIn(world, [...RUN_FAIL, '--json']);
    expect(summary(ran)).toMatchObject({ commonestError: { count: 3, error: 'cannot allocate <n> MiB' } });
  });

  test('are reported since the resume, and the message says so', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(2, ',"error":"out of memory"'));
    await berthIn(world, RUN_FAIL);
    const retried = await berthIn(secondProcess(world), RETRY);
    expect(retried.err).toMatch(/^Most common error since the resume \(2 of 2\): out of memory/m);
    const asJson = await berthIn(secondProcess(world), [...RESUME, '--retry-failed', '2', '--json']);
    expect(summary(asJson)).toMatchObject({ commonestError: { count: 2, sinceResume: true } });
  });

  test('can be retried on the local service of the same process', async () => {
    const world = createTestWorld({ clock: createAutoAdvancingClock() });
    write(world, 'in.jsonl', items(1));
    const argv = ['--local', ...RUN_FAIL];
    const ran = await berthIn(world, argv);
    expect([ran.code, ran.err]).toEqual([13, expect.stringContaining(ADVICE.replace('berth', 'berth --local'))]);
    const again = { ...createTestWorld(), env: world.env, cwd: world.cwd, directory: world.directory };
    // The same command goes on with the batch, which has ended.
    expect((await berthIn(again, argv)).err).toContain(ADVICE.replace('berth', 'berth --local'));
  });

  test('are reported in one line, for any length of error and width of terminal', async () => {
    const world = await createBatchWorld({ tty: { stderr: true } });
    write(world, 'in.jsonl', items(3, `,"error":"${'too long '.repeat(100)}"`));
    const ran = await berthIn(world, RUN_FAIL);
    const [line] = /Most common error.*/.exec(ran.err) ?? [];
    expect(line).toHaveLength(80);
    expect(line).toMatch(/…$/);
  });

  test('are followed by the resume command, never cut', async () => {
    const world = await createBatchWorld({ tty: { stderr: true } });
    write(world, 'in.jsonl', items(3));
    const argv = [...RUN_FAIL.slice(0, -1), 'results-of-a-name-that-is-rather-long.jsonl'];
    const { err } = await berthIn(world, argv);
    expect(err.split('\n')).toContain(
      '  berth jobs batch resume results-of-a-name-that-is-rather-long.jsonl --resubmit failed',
    );
  });

  test('that the service no longer keeps cannot be retried', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(3));
    expect((await berthIn(world, RUN_FAIL)).err).toContain(ADVICE);
    world.clock.advance(7_200_000);
    const late = await berthIn(secondProcess(world), RETRY);
    expect([late.code, late.err]).toEqual([13, expect.stringContaining('3 failed jobs could not be retried: ')]);
  });

  test('cannot be retried when the service refused their input', async () => {
    const world = await createBatchWorld();
    const queue = await refuseBodies(world.env['BERTH_QUEUE_URL'] ?? '', '"refuse"');
    Object.assign(world.env, { BERTH_QUEUE_URL: queue });
    write(world, 'in.jsonl', '{"n":1}\n{"refuse":2}\n{"refuse":3}\n');
    const ran = await berthIn(world, RUN);
    expect(read(world, OUT)).toMatch(/"item":3,"status":"REFUSED","error":".*this input is refused/);
    expect([ran.code, ran.err]).toEqual([13, expect.stringContaining('Most common error (2 of 2): ')]);
    expect(ran.err).not.toContain(ADVICE);
    const retried = await berthIn(secondProcess(world), RETRY);
    expect(retried.code).toBe(13);
  });
});

test('expired items are listed with a command that sends them again, and it does', async () => {
  const world = await createBatchWorld();
  const slow = items(12, ',"seconds":600').split('\n').slice(2).join('\n');
  // Neither an empty line nor one of white space is an item, and a file may have its line ends from elsewhere.
  write(world, 'in.jsonl', `${items(2, ',"seconds":1')}\r\n \t\r\n${slow}`);
  const running = berthIn(world, ['jobs', 'batch', 'run', 'sleep', ...RUN.slice(4)]);
  await waitForJobs(world, 12);
  while (read(world, 'out.jsonl.journal').split('"completed"').length <= 2) await new Promise(setImmediate);
  await local(world, 'clock', 'advance', '3h');
  const ran = await running;
  expect(ran.code).toBe(13);
  expect(ran.err).toContain(
    '10 items expired, and may have run: 3-12. Send again: berth jobs batch resume out.jsonl --resubmit expired\n',
  );
  const again = await berthIn(secondProcess(world), [...RESUME, '--resubmit', 'expired', '--json']);
  expect(again.code).toBe(13);
  expect(summary(again)).toMatchObject({ completed: 2, timedOut: 10, expired: 0, resubmitted: 10 });
});

describe('the error of a stopped batch', () => {
  test('gives the counts and no single request when the service became unreachable', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(1));
    await local(world, 'fault', 'add', 'server-error', '--match', 'GET /v2/echo/status');
    const running = berthIn(world, [...RUN, '--json']);
    // Its first polls have failed: an hour later it gives up.
    while (world.clock.monotonic() < 5000) await new Promise(setImmediate);
    world.clock.advance(3_600_000);
    const ran = await running;
    expect([ran.code, summary(ran)]).toEqual([7, expect.objectContaining({ planned: 1, inFlight: 1 })]);
    const { error } = JSON.parse(ran.err) as { error: { message: string; hint: string; id?: string } };
    expect(error.message).toMatch(/^the service answered 503.*; the batch of 1 item stopped with 1 in flight$/);
    expect(error.hint).toContain('1 job still running');
    expect(error.hint).toContain('Then continue: berth jobs batch resume out.jsonl');
    expect(error.hint).not.toMatch(/Nothing (was sent|changed)/);
    expect(error).not.toHaveProperty('id');
  });

  test('gives the number of unknown items when submissions were lost', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(60));
    await local(world, 'fault', 'add', 'server-error', '--match', 'POST /v2/echo/run');
    const ran = await berthIn(world, [...RUN, '--json']);
    const { unknown, waiting } = summary(ran) as { unknown: number; waiting: number };
    expect([ran.code, unknown + waiting]).toEqual([8, 60]);
    const { error } = JSON.parse(ran.err) as { error: { message: string; hint: string } };
    expect(error.message).toContain(
      `the batch of 60 items stopped with ${String(unknown)} unknown, ${String(waiting)} waiting`,
    );
    expect(error.hint).toContain(`${String(unknown)} items may or may not have run`);
    expect(error.hint).toContain('--resubmit unknown');
    expect((await berthIn(secondProcess(world), ['jobs', 'batch', 'status', OUT])).out).toMatch(
      /^unknown\t\d+ \(items? 1/m,
    );
  });
});

describe('--max-failures', () => {
  const limited = (endpoint: string, ...more: string[]): string[] => [
    ...['jobs', 'batch', 'run', endpoint, ...RUN.slice(4)],
    ...['--max-failures', '0', '--json', ...more],
  ];

  test('limits jobs in flight until some have completed, then raises the limit', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(60));
    const failing = await berthIn(world, limited('fail'));
    expect(failing.code).toBe(13);
    expect(summary(failing)['failed']).toBeLessThanOrEqual(10);
    const there = await createBatchWorld();
    write(there, 'in.jsonl', items(60));
    expect(summary(await berthIn(there, limited('echo')))).toMatchObject({ completed: 60 });
  });

  test('allows as many jobs in flight as --in-flight', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(60));
    const failing = await berthIn(world, limited('fail', '--in-flight', '40'));
    expect(summary(failing)['failed']).toBeGreaterThan(10);
  });
});

test.each([
  ['{"n":1}\nnope\n', 'skipped 1 invalid item\n'],
  ['{"n":1}\nnope\nnope\n', 'skipped 2 invalid items\n'],
])('skipped items are reported: %j', async (input, said) => {
  const world = await createBatchWorld();
  write(world, 'in.jsonl', input);
  expect((await berthIn(world, [...RUN, '--skip-invalid'])).err).toContain(said);
});
