import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { berthPath, cleanEnvironment, runProgram } from './support.ts';
import { hasPython } from './workers/support.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** Every block of shell commands, but for the two that install and run these very tests. */
const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .map(([, block = '']) => block)
  .filter((block) => !block.startsWith('npm run'));

const runnable = hasPython ? blocks : blocks.filter((block) => !block.includes('worker.py'));

// A shell of POSIX, and Python for some, is all that the README asks for; where there is none, there is nothing to run it in.
describe.skipIf(process.platform === 'win32')('every command of the README runs as printed', () => {
  it.each(runnable.map((block) => [block.split('\n')[0] ?? '', block]))('%s ...', async (_, block) => {
    const env = await cleanEnvironment();
    const cwd = env['HOME'] ?? '';
    // What the README takes to be there: a key of one's own, and the worker of an earlier block.
    await writeFile(path.join(cwd, 'key.txt'), 'not-a-real-key-0123456789\n');
    await writeFile(path.join(cwd, 'worker.py'), 'def handler(job):\n    return job["input"]\n');
    // The service at the address of the README is nobody's: it cannot be asked about the key.
    const command = block.replaceAll(' --with-key', ' --with-key --no-check');
    const withBerth = { ...env, PATH: `${path.dirname(berthPath())}${path.delimiter}${env['PATH'] ?? ''}` };
    const { code, stdout, stderr } = await runProgram('sh', ['-e', '-c', command], { env: withBerth, cwd });
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout + stderr).not.toContain('not-a-real-key-0123456789');
  });
});
