import { describe, expect, test } from 'vitest';
import { refuseBodies } from '../../../../support/servers/refusing-proxy.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import {
  secondProcess,
  items,
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
const RETRY = [...RESUME, '--resubmit', 'failed'];
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

  test('are reported in one line, for any length of error and width of terminal', async () => {
    const world = await createBatchWorld({ tty: { stderr: true } });
    write(world, 'in.jsonl', items(3, `,"error":"${'too long '.repeat(100)}"`));
    const ran = await berthIn(world, RUN_FAIL);
    const [line] = /Most common error.*/.exec(ran.err) ?? [];
    expect(line).toHaveLength(80);
    expect(line).toMatch(/…$/);
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
