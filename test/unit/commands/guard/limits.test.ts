import { expect, test } from 'vitest';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { CREATE, rows, withLab, type Row } from '../../../support/worlds/guard-account.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

test('flags that cannot be kept are refused', async () => {
  for (const [line, says] of [
    ['guard run --do stop', '--do'],
    ["guard run --match 'x*'", '--match'],
    ['guard run --budget much', '--budget is not an amount'],
    ['guard run --every 1s', '--every is at least 10s'],
    ['guard run --idle 2h', '--idle 2h needs --every'],
    ['guard run --idle 2h --dry-run', '--idle 2h needs --every'],
    ['guard run --idle 2h --every 30m', 'at most a tenth'],
  ] as const) {
    const ran = await createAccount()(line);
    expect([line, ran.code, ran.err]).toEqual([line, 2, expect.stringContaining(says)]);
  }
});

test('guard run --quiet prints a table of what is over a limit alone: cron mails it', async () => {
  const account = await withLab();
  await local(account, `${CREATE} kept --stop-after 90m`);
  await local(account, 'pods update kept --locked on');
  await local(account, 'local clock advance 3h');
  expect(await rows(account, 'guard run --dry-run')).toMatchObject([
    { name: 'kept', verdict: 'exempt' },
    { name: 'lab', verdict: 'over' },
  ]);
  expect((await account('guard run --quiet')).out).toMatch(/^NAME.*\nlab\tstopped.*\n$/);
  const second = await account('guard run --quiet');
  expect([second.code, second.out, second.err]).toEqual([0, '', '']);
});

test('a budget stops the selected pods once the account cost more this month, and none before', async () => {
  const account = await withLab('');
  await local(account, 'local clock advance 2d');
  const fine = await account('guard run --budget 100000 --match lab --json');
  expect([fine.code, fine.out]).toEqual([0, '[]\n']);
  await local(account, "local fault add server-error --match 'GET /v2/billing'");
  const unknown = await account('guard run --budget 1 --match lab --json');
  expect([unknown.code, JSON.parse(unknown.out)]).toMatchObject([0, [{ verdict: 'unknown', action: 'report' }]]);
  await local(account, 'local fault clear');
  expect(await rows(account, 'guard run --budget 1 --match lab')).toMatchObject([
    {
      name: 'lab',
      rule: 'budget',
      why: expect.stringMatching(/^the account cost \$[\d.,]+ this month$/) as string,
      result: 'stopped',
    },
  ]);
});

test.each([
  ['stopped', '', { result: 'stopped' }],
  ['in a dry run shown with the request that stops it', ' --dry-run', { request: { method: 'POST' } }],
])('a pod that was watched idle for the whole time is %s, and not before', async (_, flag, end) => {
  const clock = createTestClock();
  const world = createTestWorld({ clock });
  const run = (line: string) => berthIn(world, ['--local', ...line.split(' ')]);
  await run(`${CREATE} lab`);
  await run('local clock advance 3h');
  await run('local pods use lab --gpu 0 --cpu 1');
  const from = clock.now();
  const running = run(`guard run --idle 30m --every 3m --match lab -o jsonl${flag}`);
  while (clock.slept.filter((each) => each === 180_000).length < 12) await new Promise(setImmediate);
  world.signal('SIGINT');
  const rowsOf = (await running).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row & { readonly at: string });
  expect(rowsOf).toMatchObject([
    { rule: 'idle', verdict: 'unknown', why: 'idle for 0s of 30m' },
    { rule: 'idle', verdict: 'over', why: 'idle for 30m', ...end },
  ]);
  const [first, last] = rowsOf.map(({ at }) => Date.parse(at));
  expect([(last ?? 0) - (first ?? 0), clock.now() > from]).toEqual([30 * 60_000, true]);
});
