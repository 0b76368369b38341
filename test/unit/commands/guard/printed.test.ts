import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { CREATE, rows, withLab, type Row } from '../../../support/worlds/guard-account.ts';
import { local } from '../../../support/worlds/local-account.ts';

test.each([
  ['check', '\n'],
  ['run', '\n'],
  ['check', ''],
])('guard %s --log appends what was decided, on a line of its own after one that ends with %j', async (verb, end) => {
  const account = await withLab();
  await local(account, 'local clock advance 3h');
  const log = path.join(temporaryDirectory(), 'guard.jsonl');
  writeFileSync(log, `{"earlier":true}${end}`);
  await account(`guard ${verb} --log '${log}'`);
  const logged = readFileSync(log, 'utf8').trim().split('\n');
  expect(logged.map((line) => JSON.parse(line) as Row)).toMatchObject([
    { earlier: true },
    { name: 'lab', action: 'stop' },
  ]);
});

test('guard run --quiet prints a table of what is over a limit alone: cron mails it', async () => {
  const account = await withLab();
  await local(account, `${CREATE} kept --stop-after 90m`);
  await local(account, 'pods update kept --locked on');
  await local(account, 'local clock advance 3h');
  const others = "--match 'lab' --match 'kept' --idle 1h";
  expect(await rows(account, `guard check ${others}`)).toMatchObject([
    { name: 'kept', verdict: 'exempt' },
    { name: 'lab', verdict: 'over' },
  ]);
  expect((await account(`guard run --quiet ${others}`)).out).toMatch(/^NAME.*\nlab\tstopped.*\n$/);
  await local(account, 'pods start lab');
  await local(account, 'local clock advance 80m');
  await local(account, 'local pods use lab --gpu 0 --cpu 0');
  expect(await rows(account, `guard check ${others}`)).toMatchObject([
    { name: 'kept', verdict: 'exempt' },
    { name: 'lab', verdict: 'unknown' },
  ]);
  const second = await account(`guard run --quiet ${others}`);
  expect([second.code, second.out, second.err]).toEqual([0, '', '']);
});

test('guard run by cron mails and logs the same about a pod once a day; its code is 15 all the same', async () => {
  const account = await withLab();
  await local(account, 'pods terminate lab --yes');
  const log = path.join(temporaryDirectory(), 'guard.jsonl');
  // Only terminating ends the cost of this one, which the guard may not.
  const sweep = async () => await account(`guard run --quiet --match exits-at-once --idle 1h --log '${log}'`);
  const lines = (): number => readFileSync(log, 'utf8').trim().split('\n').length;
  const first = await sweep();
  expect([first.code, first.out]).toEqual([15, expect.stringMatching(/^NAME.*\nexits-at-once\t.*\n$/)]);
  for (let hour = 0; hour < 23; hour++) {
    await local(account, 'local clock advance 1h');
    const again = await sweep();
    expect([again.code, again.out, lines()]).toEqual([15, '', 1]);
  }
  expect(await rows(account, 'guard check --match exits-at-once --idle 1h')).toHaveLength(1);
  await local(account, 'local clock advance 1h');
  expect([(await sweep()).out, lines()]).toEqual([first.out, 2]);
});

test('a narrow terminal shows the reason of a decision whole, and the ids where two pods have its name', async () => {
  const account = await withLab('--terminate-after 90m');
  await local(account, `${CREATE} lab`);
  await local(account, 'local clock advance 3h');
  const narrow = await account('guard check -o table', { tty: true, columns: 60 });
  const { out } = await account('guard check');
  const [header, row] = out.split('\n').map((line) => line.split('\t'));
  expect(header).toEqual(['NAME', 'ID', 'DECISION', 'WHY']);
  expect(row?.slice(0, 2)).toEqual(['lab', expect.stringMatching(/^pod-/)]);
  const why = row?.[3] ?? '';
  expect(why.length).toBeGreaterThan(60);
  expect(narrow.out.replaceAll(/\s+/g, ' ')).toContain(why);
  expect(narrow.out).not.toContain('…');
});
