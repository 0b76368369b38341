import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAutoAdvancingClock } from '../support/clocks/auto-advancing-clock.ts';
import { berthIn, type Ran } from '../support/worlds/run-berth.ts';
import { createTestClock } from '../support/clocks/test-clock.ts';
import { writeForgedLock, HOLDERS } from '../support/files/forged-lock.ts';
import { createTestWorld, type TestWorld } from '../support/worlds/test-world.ts';

// Row 36 of docs/faults.md, as a user meets it. The lock itself is in test/unit/host/lock/file-locks.test.ts, and real processes
// in namespaces are in lock-trials.test.ts.

const onLinux = process.platform === 'linux';

interface Case {
  readonly name: string;
  readonly argv: readonly string[];
  /** The path of the lock that the command takes. */
  readonly lock: string;
  readonly subject: string;
}

const BATCH: Case = {
  name: 'a batch',
  argv: ['--local', 'jobs', 'batch', 'resume', 'out.jsonl'],
  lock: 'out.jsonl.journal.lock',
  subject: 'this batch',
};

const CASES: readonly Case[] = [
  {
    name: 'the local state',
    argv: ['--local', 'pods', 'list'],
    lock: 'data/local/state.json.lock',
    subject: "the local service's state",
  },
  {
    name: 'the profiles',
    argv: ['config', 'set', 'retries', '3', '--profile', 'work'],
    lock: 'config/config.json.lock',
    subject: 'the configuration',
  },
  BATCH,
];

/** A world, for a batch with a completed one. */
async function place(each: Case, clock = createTestClock()): Promise<TestWorld> {
  const world = createTestWorld({ clock });
  const { directory } = world;
  const env = { ...world.env, BERTH_DATA_DIR: join(directory, 'data'), BERTH_CONFIG_DIR: join(directory, 'config') };
  if (each !== BATCH) return { ...world, env };
  writeFileSync(join(directory, 'in.jsonl'), '{"n":1}\n');
  const run = ['--local', 'jobs', 'batch', 'run', 'echo', '--input', 'in.jsonl', '--out', 'out.jsonl'];
  const ran = await berthIn({ ...world, env, clock: createAutoAdvancingClock() }, run);
  expect(ran.code, ran.err).toBe(0);
  return { ...world, env };
}

function forge(world: TestWorld, { lock }: Case, holder: () => Parameters<typeof writeForgedLock>[1]): string {
  const path = join(world.directory, lock);
  mkdirSync(dirname(path), { recursive: true });
  return writeForgedLock(path, holder());
}

function expectClean(world: TestWorld, { lock }: Case): void {
  const path = join(world.directory, lock);
  expect(readdirSync(dirname(path)).filter((name) => name.includes('.lock'))).toEqual([]);
}

const explained = (ran: Ran, words: readonly string[]): void => {
  expect(ran.code, ran.err).toBe(14);
  for (const word of words) expect(ran.err).toContain(word);
};

describe.each(CASES)('$name', (each) => {
  const DEAD = [
    ['was killed', HOLDERS.dead],
    ['was killed, and whose number another process has', HOLDERS.reused],
    ['was killed, and whose number another user has', () => HOLDERS.reused(1)],
  ] as const;
  test.runIf(onLinux).each(each === BATCH ? DEAD : DEAD.slice(0, 1))(
    'of a holder that %s continues at once',
    async (_, holder) => {
      const world = await place(each);
      forge(world, each, holder);
      const ran = await berthIn(world, each.argv);
      expect(ran.code, ran.err).toBe(0);
      // No heartbeat was waited for. A batch sleeps for other reasons.
      expect(world.clock.slept.filter((span) => span <= 100)).toEqual([]);
      expectClean(world, each);
    },
  );

  test.each([
    ['on another host', HOLDERS.otherHost],
    ['in another container of one host name', HOLDERS.otherNamespace],
  ])('of a silent holder %s is taken over after ten seconds, with a line that says so', async (_, holder) => {
    const world = await place(each);
    forge(world, each, holder);
    const ran = await berthIn(world, each.argv);
    expect(ran.code, ran.err).toBe(0);
    expect(world.clock.monotonic()).toBeGreaterThanOrEqual(10_000);
    const told = `^Taking over ${each.subject}.* from process 1 on .*: if it still runs, its next write fails\\.$`;
    // The local state belongs to one machine.
    if (each.name !== 'the local state') expect(ran.err).toMatch(new RegExp(told, 'm'));
    expectClean(world, each);
  });

  test.runIf(onLinux)('of a living holder is refused with its process and what to do', async () => {
    const world = await place(each);
    forge(world, each, HOLDERS.self);
    const ran = await berthIn(world, each.argv);
    explained(ran, [
      `another berth is at work on ${each.subject}`,
      `process ${String(process.pid)}`,
      'Let it end, or stop it with Ctrl-C',
    ]);
    expect(existsSync(join(world.directory, each.lock))).toBe(true);
  });
});

test('batch status distinguishes a silent holder on another machine from a working one', async () => {
  const clock = createTestClock();
  let beat = (): void => undefined;
  const world = await place(BATCH, {
    ...clock,
    sleep: (milliseconds, signal) => {
      beat();
      return clock.sleep(milliseconds, signal);
    },
  });
  const status = async (): Promise<string> =>
    (await berthIn(world, ['--local', 'jobs', 'batch', 'status', 'out.jsonl', '--json'])).out;
  const owner = forge(world, BATCH, HOLDERS.otherHost);
  expect(JSON.parse(await status())).toMatchObject({ state: 'ended' });
  let beats = 0;
  beat = () => {
    writeFileSync(owner, readFileSync(owner, 'utf8').replace(/\d+\n$/, `${String(++beats).padStart(12, '0')}\n`));
  };
  expect(JSON.parse(await status())).toMatchObject({ state: 'running', pid: 1 });
});
