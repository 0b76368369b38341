/** An error about a file says what is there: a folder is not "missing", and no file of the user "exists already" as one. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerQuestion } from '../support/worlds/answer-question.ts';
import { berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';

test.each<readonly [string, string, string, number]>([
  ['jobs batch run echo --input parts --out r.jsonl', 'cannot read parts: it is a folder', '--input parts/', 14],
  ['jobs batch run echo --input . --out r.jsonl', 'cannot read .: it is a folder', '', 14],
  ['jobs batch run echo --input t.txt --out t.txt/r.jsonl', 't.txt is not a directory', '', 14],
  ['files sync pipe vol-datasets:/x', 'pipe is neither a file nor a folder', 'files cp - ', 2],
  ['files cp pipe vol-datasets:/x', 'pipe is neither a file nor a folder', 'files cp - ', 2],
  ['files cp nothing vol-datasets:/x', 'nothing: there is no such file or folder', '', 4],
])('%s', async (line, reason, hint, exit) => {
  const world = createTestWorld();
  mkdirSync(join(world.directory, 'parts'));
  writeFileSync(join(world.directory, 't.txt'), 'text');
  execFileSync('mkfifo', [join(world.directory, 'pipe')]);
  const { code, err } = await berthIn(world, ['--local', ...line.split(' ')]);
  expect([code, err]).toEqual([exit, expect.stringContaining(reason)]);
  expect(err).toContain(hint);
});

test('all files of a volume are removed only where its name is typed', async () => {
  const world = createTestWorld({ tty: true, columns: 200 });
  writeFileSync(join(world.directory, 't.txt'), 'text');
  expect((await berthIn(world, ['--local', 'files', 'cp', 't.txt', 'datasets:', '--quiet'])).code).toBe(0);
  const remove = ['--local', 'files', 'rm', '-r', 'datasets:'];
  const { code, err } = await answerQuestion(world, remove, 'Type datasets to continue');
  expect([code, err]).toEqual([2, expect.stringContaining('not confirmed')]);
});
