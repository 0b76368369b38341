import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { CREATE, rows, statusOf, withLab, type Row } from '../../../support/worlds/guard-account.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

describe('a deadline', () => {
  it('is kept by guard run, and no other pod is touched', async () => {
    const account = await withLab();
    const early = await account('guard run --json');
    expect([early.code, early.out]).toEqual([0, '[]\n']);
    await local(account, 'local clock advance 2h');
    const before = await local(account, "pods list --status RUNNING --match '!lab' -o id");
    const ran = await account('guard run --json');
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([
      15,
      [
        {
          name: 'lab',
          rule: 'deadline',
          action: 'stop',
          result: 'stopped',
          why: expect.stringMatching(/overdue by 3\dm/) as string,
        },
      ],
    ]);
    expect(await statusOf(account, 'lab')).toContain('EXITED');
    expect(await local(account, "pods list --status RUNNING --match '!lab' -o id")).toBe(before);
    expect((await account('guard run --json')).code).toBe(0);
  });

  it('counts anew from each start, and is changed while the pod is stopped', async () => {
    const account = await withLab();
    await local(account, 'local clock advance 2h');
    await account('guard run');
    await local(account, 'pods update lab --stop-after 4h');
    await local(account, 'pods start lab --wait');
    await local(account, 'local clock advance 3h');
    expect((await account('guard run')).code).toBe(0);
    await local(account, 'local clock advance 2h');
    expect(await rows(account, 'guard run')).toMatchObject([{ name: 'lab', result: 'stopped' }]);
  });

  it('to terminate is only reported, unless that is allowed', async () => {
    const account = await withLab('--terminate-after 2h');
    await local(account, 'local clock advance 3h');
    expect(await rows(account, 'guard run')).toMatchObject([
      { action: 'report', held: 'terminating needs --allow-terminate' },
    ]);
    expect(await rows(account, 'guard run --allow-terminate')).toMatchObject([{ result: 'terminated' }]);
    expect((await account('pods get lab')).code).toBe(4);
  });

  it('that cannot be read is unknown, and nothing is done', async () => {
    const account = createAccount();
    await local(
      account,
      'api POST /v2/pods --input \'{"name":"lab","image":"i","disk":10,"gpu":{"id":"GPU-24G","count":1},"env":{"BERTH_STOP_AFTER":"soon"}}\'',
    );
    await local(account, 'local clock advance 3m');
    const ran = await account('guard run --json');
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([0, [{ verdict: 'unknown', action: 'report' }]]);
  });

  it.each([
    ['--stop-after 2020-01-01', 'over already'],
    ['--stop-after never', '--stop-after is not a time'],
    ['--env BERTH_STOP_AFTER=0h', 'over at once'],
  ])('pods create refuses %s', async (flags, says) => {
    const ran = await createAccount()(`${CREATE} lab ${flags}`);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(says)]);
  });

  it('that is over does not refuse another change of its pod', async () => {
    const account = await withLab('--stop-after 2026-01-01T00:30:00Z');
    await local(account, 'local clock advance 1h');
    await account('guard run');
    const changed = await account('pods update lab --env MODE=fast --json');
    expect([changed.code, JSON.parse(changed.out)]).toMatchObject([
      0,
      { env: { MODE: 'fast', BERTH_STOP_AFTER: '2026-01-01T00:30:00Z' } },
    ]);
    expect((await account('pods update lab --env BERTH_STOP_AFTER=2020-01-01T00:00:00Z')).code).toBe(2);
  });

  it('is said at the create, with what the pod costs until then and the guard that keeps it', async () => {
    const said = async (flags: string): Promise<string> => (await createAccount()(`${CREATE} lab ${flags}`)).err;
    expect(await said('--stop-after 2h')).toMatch(/Stops in 2h \(about \$1\.38\) if a guard runs: .*guard run\n/);
    expect(await said('--terminate-after 2h')).toMatch(/guard run --allow-terminate\n/);
    expect(await said('--disk 2000 --stop-after 1h')).toMatch(/\$0\.69\/h plus a container disk of 2000 GB\n/);
  });

  it('of the settings is given to a pod that names none', async () => {
    const create = (flags: string) =>
      createAccount()(`${CREATE} lab ${flags} --dry-run --json`, {
        env: { BERTH_PODS_STOP_AFTER: '3', BERTH_PODS_TERMINATE_AFTER: '36h' },
      });
    expect(JSON.parse((await create('--stop-after none')).out)).toMatchObject({
      body: { env: { BERTH_STOP_AFTER: 'none', BERTH_TERMINATE_AFTER: '36h' } },
    });
    expect(JSON.parse((await create('')).out)).toMatchObject({ body: { env: { BERTH_STOP_AFTER: '3h' } } });
  });

  it('is missed by a warning where the settings ask for it, of GPU pods alone', async () => {
    const env = { BERTH_GUARD: 'warn' };
    const gpu = await createAccount()(`${CREATE} lab`, { env });
    expect([gpu.code, gpu.err]).toEqual([0, expect.stringContaining('has no deadline')]);
    const safe = await createAccount()(`${CREATE} lab --stop-after 1h`, { env });
    expect(safe.err).not.toContain('has no deadline');
  });
});

test('a guard leaves a locked pod alone', async () => {
  const account = await withLab();
  await local(account, 'pods update lab --locked on');
  await local(account, 'local clock advance 4h');
  const ran = await account('guard run --json');
  expect([ran.code, JSON.parse(ran.out)]).toMatchObject([
    0,
    [{ verdict: 'exempt', action: 'report', held: 'it is locked' }],
  ]);
  const status = await account('guard status --json');
  expect([status.code, JSON.parse(status.out)]).toMatchObject([
    0,
    { deadlines: [{ overdue: false, exempt: 'it is locked' }] },
  ]);
  expect((await account('guard status')).out).toContain('it is locked');
  expect(await statusOf(account, 'lab')).toContain('RUNNING');
});

test('guard run --every looks again, prints and tells what is new once, and ends with Ctrl-C', async () => {
  const clock = createTestClock();
  const world = createTestWorld({ clock });
  const run = (line: string) => berthIn(world, ['--local', ...line.split(' ')]);
  for (const name of ['lab', 'kept']) await run(`${CREATE} ${name} --stop-after 90m`);
  await run('local clock advance 3m');
  await run('pods update kept --locked on');
  const running = run('guard run --every 10m -o jsonl --notify=cat>>told;echo>>told');
  while (clock.slept.filter((each) => each === 600_000).length < 15) await new Promise(setImmediate);
  world.signal('SIGINT');
  const ran = await running;
  const printed = ran.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
  // Without a terminal nothing else says that it runs.
  expect(ran.err.match(/Checked \d+ pods: .*\. Next check in 10m; only changes are printed\./g)).toHaveLength(1);
  expect([ran.code, printed.map(({ name, action, result }) => [name, action, result])]).toEqual([
    130,
    [
      ['kept', 'report', undefined],
      ['lab', 'stop', 'stopped'],
    ],
  ]);
  const told = readFileSync(path.join(world.directory, 'told'), 'utf8').trim().split('\n');
  expect(told.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { exitCode: 15, result: [{ name: 'kept' }, { name: 'lab' }] },
  ]);
});

test('guard status ends 15 when a deadline is overdue, and when a guard last ran here', async () => {
  const account = await withLab();
  const fine = await account('guard status --json');
  expect([fine.code, JSON.parse(fine.out)]).toMatchObject([
    0,
    { lastRun: null, deadlines: [{ name: 'lab', overdue: false }] },
  ]);
  await account('guard run --dry-run');
  expect(JSON.parse((await account('guard status --json')).out)).toMatchObject({ lastRun: null });
  await account('guard run');
  await local(account, 'local clock advance 3h');
  const late = await account('guard status --json');
  expect([late.code, JSON.parse(late.out)]).toMatchObject([15, { deadlines: [{ overdue: true }] }]);
  expect((await account('guard status')).err).toMatch(
    /1 deadline overdue\.\nA guard of this machine last ran 3h ago\./,
  );
});
