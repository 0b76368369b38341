import { describe, expect, test } from 'vitest';
import { said } from '../support/worlds/answer-question.ts';
import { berthIn } from '../support/worlds/run-berth.ts';
import { createTestClock, type TestClock } from '../support/clocks/test-clock.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';
import { expectBlock, expectErrorObject } from '../support/worlds/expect-run.ts';
import { json, pointedAt, routed, serve, silent, type Behaviour } from '../support/servers/scripted-server.ts';

// Row 21 of docs/faults.md: Ctrl-C. test/e2e/signals.test.ts has it with real processes.

const running = json({ id: 'job1', status: 'IN_PROGRESS' });
const submitted = json({ id: 'job1', status: 'IN_QUEUE' });

/** A clock that presses Ctrl-C when a command begins its `nth` sleep. That sleep never ends by itself. */
function pressing(nth: number, press: () => void): TestClock {
  const clock = createTestClock();
  let sleeps = 0;
  return {
    ...clock,
    sleep: (milliseconds, signal) => {
      if (++sleeps < nth) return clock.sleep(milliseconds, signal);
      setImmediate(press);
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    },
  };
}

describe.each([
  ['SIGINT', 130, 'interrupted'],
  ['SIGTERM', 143, 'terminated'],
] as const)('%s', (signal, exit, code) => {
  // SIGTERM takes the same way: one case of each kind.
  const some = <T>(cases: readonly T[]): readonly T[] => (signal === 'SIGINT' ? cases : cases.slice(0, 1));
  const forms = some([['--json'], []]);

  test.each(
    some([
      ['jobs wait', ['jobs', 'wait', 'ep1', 'job1'], 'berth jobs wait ep1 job1', undefined],
      ['jobs stream', ['jobs', 'stream', 'ep1', 'job1'], 'berth jobs stream ep1 job1', undefined],
      [
        'jobs run --wait',
        ['jobs', 'run', 'ep1', '--input', '{}', '--wait'],
        'berth jobs wait ep1 job1',
        /^submitted job job1\n$/,
      ],
      [
        'jobs run --stream',
        ['jobs', 'run', 'ep1', '--input', '{}', '--stream'],
        'berth jobs stream ep1 job1',
        /^submitted job job1\n$/,
      ],
      [
        'jobs run --sync',
        ['jobs', 'run', 'ep1', '--input', '{}', '--sync'],
        'berth jobs wait ep1 job1',
        /^submitted job job1\n$/,
      ],
      [
        'jobs retry --wait',
        ['jobs', 'retry', 'ep1', 'job1', '--wait'],
        'berth jobs wait ep1 job1',
        /^retried job job1\n$/,
      ],
    ] as const),
  )('in the middle of %s says how to go on, and cancels nothing', async (_, argv, goOn, told) => {
    for (const flags of forms) {
      const server = await serve([
        routed({
          'POST /v2/ep1/run': submitted,
          'POST /v2/ep1/runsync': running,
          'POST /v2/ep1/retry/job1': submitted,
          'GET /v2/ep1/status/job1': running,
          'GET /v2/ep1/status/job2': json({ id: 'job2', status: 'IN_PROGRESS' }),
          'GET /v2/ep1/stream/job1': json([]),
        }),
      ]);
      const clock = pressing(2, () => {
        world.signal(signal);
      });
      const world = createTestWorld({ env: pointedAt(server.url), clock });
      const ran = await berthIn(world, [...flags, ...argv]);
      const expected = { exit, says: [`Go on with: ${goOn}`, 'Nothing was cancelled'], ...(told && { told }) };
      if (flags.length === 0) expectBlock(ran, expected);
      else expect(expectErrorObject(ran, expected).code).toBe(code);
      expect(server.seen.filter(({ url }) => url.includes('cancel'))).toEqual([]);
      expect(world.exits).toEqual([]);
    }
  });

  test.each(
    some([
      [
        'pods create --name lab --gpu GPU-24G --image a/b --wait',
        /created pod lab \(pod-000001\)\n.*\n.*Go on with: berth --local pods wait pod-000001 --for reachable\n/,
      ],
      [
        'pods start pod-stopped pod-stopped-cpu --wait',
        /Go on with: berth --local pods wait pod-stopped pod-stopped-cpu --for reachable\n/,
      ],
      [
        'clusters create --name c --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 2 --image a/b --wait',
        /created cluster c \((\S+)\)\n[^]*Go on with: berth --local clusters get \1 --watch\n/,
      ],
    ]),
  )('in the middle of %s names what is paid by its id, and how to go on', async (line, says) => {
    const clock = pressing(1, () => {
      world.signal(signal);
    });
    const world = createTestWorld({ clock });
    const { code, err } = await berthIn(world, ['--local', ...line.split(' ')]);
    expect([code, err]).toEqual([exit, expect.stringMatching(says)]);
  });

  test.each(
    some([
      ['a read', ['pods', 'get', 'pod1'], []],
      [
        'a submission',
        ['jobs', 'run', 'ep1', '--input', '{}'],
        ['The request had been sent', 'may have happened', 'berth health ep1'],
      ],
      ['a revocation', ['registries', 'delegations', 'revoke', 'd1', '--yes'], ['berth registries delegations list']],
    ] as const),
  )('in the middle of %s ends it at once', async (_, argv, says) => {
    for (const flags of forms) {
      const pressed: Behaviour = (exchange) => {
        silent(exchange);
        world.signal(signal);
      };
      const server = await serve([pressed]);
      const world = createTestWorld({ env: pointedAt(server.url) });
      const ran = await berthIn(world, [...flags, ...argv]);
      if (flags.length === 0) {
        // After an interrupted read there is nothing to find out.
        if (says.length > 0) expectBlock(ran, { exit, says });
        else
          expect({ code: ran.code, err: ran.err, out: ran.out }).toEqual({
            code: exit,
            err: `error: ${code}\n`,
            out: '',
          });
      } else expectErrorObject(ran, { exit, says });
      expect(server.seen).toHaveLength(1);
    }
  });

  test('in a pause between two tries ends the command at once', async () => {
    const server = await serve([json({}, 503)]);
    const clock = pressing(1, () => {
      world.signal(signal);
    });
    const world = createTestWorld({ env: pointedAt(server.url), clock });
    const ran = await berthIn(world, ['pods', 'get', 'pod1']);
    expect(ran.code).toBe(exit);
    expect(server.seen).toHaveLength(1);
  });

  test('a second Ctrl-C ends the process at once', async () => {
    const server = await serve([
      (): void => {
        world.signal(signal);
        world.signal(signal);
      },
    ]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    const ran = await berthIn(world, ['health', 'ep1']);
    expect(ran.code).toBe(exit);
    expect(world.exits).toEqual([exit]);
  });

  test('ends --watch', async () => {
    const server = await serve([json({ id: 'pod1', status: 'RUNNING' })]);
    const clock = pressing(3, () => {
      world.signal(signal);
    });
    const world = createTestWorld({ env: pointedAt(server.url), clock, tty: true });
    const ran = await berthIn(world, ['pods', 'get', 'pod1', '--watch']);
    expect([ran.code, ran.err]).toEqual([exit, '']);
    expect(server.seen).toHaveLength(3);
    // The cursor is shown again.
    expect(ran.out.lastIndexOf('\u001b[?25l')).toBeLessThanOrEqual(ran.out.lastIndexOf('\u001b[?25h'));
  });
});

test('Ctrl-C in a question ends 130, and nothing is sent', async () => {
  const server = await serve([json({ jobs: { inQueue: 3 }, workers: {} })]);
  const world = createTestWorld({ tty: true, env: pointedAt(server.url) });
  const running = berthIn(world, ['queue', 'purge', 'ep1']);
  await said(world, 'Continue?');
  await world.type('\u0003');
  const ran = await running;
  expect(ran.code, ran.err).toBe(130);
  expect(server.seen.map(({ method }) => method)).toEqual(['GET']);
});
