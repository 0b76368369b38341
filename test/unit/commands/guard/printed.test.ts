import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { CREATE, rows, withLab, type Row } from '../../../support/worlds/guard-account.ts';
import { local } from '../../../support/worlds/local-account.ts';

test.each(['check', 'run'])('guard %s --log appends what was decided', async (verb) => {
  const account = await withLab();
  await local(account, 'local clock advance 3h');
  const log = path.join(temporaryDirectory(), 'guard.jsonl');
  writeFileSync(log, '{"earlier":true}\n');
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
