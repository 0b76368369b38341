import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

/** Two parts. */
const LARGE = Buffer.alloc(17 * 1_048_576, 'what a large file has ');

async function start() {
  const account = createAccount();
  const cwd = temporaryDirectory();
  mkdirSync(path.join(cwd, 'd'));
  writeFileSync(path.join(cwd, 'd/small'), 'small');
  writeFileSync(path.join(cwd, 'd/large'), LARGE);
  const run = (line: string) => account(line, { cwd });
  return { run, cwd };
}

/** The methods of the requests for content that a command sent, from its traces. */
const readsOf = (trace: string): number => [...trace.matchAll(/GET http:\/\/localhost\/vol-[a-z]+\/[^?\s]+/g)].length;

it.each([
  ['to a volume', 'files cp -r d/ datasets:', undefined],
  ['from a volume', 'files cp -r datasets: back', 'files cp -r d/ datasets:'],
  ['between volumes', 'files cp -r datasets: checkpoints:', 'files cp -r d/ datasets:'],
])('a copy with --verify reads everything back from the volume: %s', async (_, line, before) => {
  const { run } = await start();
  if (before !== undefined) await local((each) => run(each), before);
  const plain = await run(`${line} --verbose`);
  const { run: again } = await start();
  if (before !== undefined) await local((each) => again(each), before);
  const verified = await again(`${line} --verify --verbose`);
  expect([plain.code, verified.code], verified.err).toEqual([0, 0]);
  expect(readsOf(verified.err)).toBeGreaterThan(readsOf(plain.err));
});

it('a copy that is not on the volume as it was sent is not done', async () => {
  const { run, cwd } = await start();
  await run('files cp d/small datasets:small');
  // The volume has the file, and loses it between the copy and the second look at it.
  await run('local fault add files-lost --match PUT');
  writeFileSync(path.join(cwd, 'd/small'), 'other');
  const ran = await run('files cp d/small datasets:small --verify');
  expect(ran.code, ran.err).not.toBe(0);
});
