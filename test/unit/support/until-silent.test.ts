import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { untilSilent } from '../../../scripts/until-silent.mjs';
import { temporaryDirectory } from '../../support/files/temporary-directory.ts';

const run = (program: string, silenceMs: number, cwd = temporaryDirectory()) =>
  untilSilent(['-e', program], { cwd, env: process.env, silenceMs });

it('a program that ends has its code and what it printed', async () => {
  expect(await run('console.log(1); console.error(2); process.exitCode = 3', 300_000)).toEqual({
    code: 3,
    output: expect.stringMatching(/^(1\n2\n|2\n1\n)$/) as string,
  });
});

it('a program that prints nothing any more is ended, with what it has started, and that is said', async () => {
  const cwd = temporaryDirectory();
  // The other process has the streams too, which are closed only when both have ended.
  const program = `const { spawn } = require('node:child_process');
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
require('node:fs').writeFileSync('pid', String(child.pid));
console.log('begun');
setInterval(() => {}, 1000);`;
  const { code, output } = await run(program, 3000, cwd);
  expect([code, output]).toEqual([null, expect.stringMatching(/stopped: it printed nothing for [\d.]+ minutes$/)]);
  // On a machine so slow that nothing was begun within that time there is nothing to look at.
  if (!existsSync(join(cwd, 'pid'))) return;
  const pid = Number(readFileSync(join(cwd, 'pid'), 'utf8'));
  await expect.poll(() => isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\S+ \(.*\) Z/.test(readStat(pid));
  } catch {
    return false;
  }
}

function readStat(pid: number): string {
  const file = `/proc/${String(pid)}/stat`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
