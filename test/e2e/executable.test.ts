import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { version } from '../../package.json';
import {
  berth,
  berthPath,
  cleanEnvironment,
  isPackage,
  runProgram,
  temporaryFolder,
  type Environment,
} from './support.ts';

// One command of each kind, and what only the single executable can get wrong; TLS is in world.test.ts. `npm test` and `npm run binary-trials` run this file
// on the executable.

const run = (args: readonly string[], env: Environment, cwd: string) => runProgram(berthPath(), args, { env, cwd });

describe.skipIf(isPackage)('the single executable', () => {
  test.each([
    [['--version'], new RegExp(`^${version.replaceAll('.', '[.]')}\n$`)],
    [['--local', 'pods', 'list', '-o', 'id'], /^(pod-\S+\n)+$/],
    [['--local', 'pods', 'list', '--jq', 'length > 0'], /^true\n$/],
    [
      ['--local', 'jobs', 'run', 'echo', '--input', '{"n":9007199254740993}', '--wait', '--jq', '.output.n'],
      /^9007199254740993\n$/,
    ],
    [['__complete', 'bash', '', 'berth jobs ba'], /^batch$/m],
  ])('answers %j', async (args, printed) => {
    const { code, stdout, stderr } = await berth(args);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(printed);
  });

  test('runs jobs by a handler module', async () => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, 'upper.mjs'), 'export default ({ text }) => text.toUpperCase();\n');
    const script = '"$0" jobs run upper --input \'{"text":"a"}\' --wait --json --jq .output';
    const args = ['local', 'exec', '--endpoint', 'upper=upper.mjs', '--', 'sh', '-c', script, berthPath()];
    expect(await run(args, await cleanEnvironment(), folder)).toMatchObject({ code: 0, stdout: '"A"\n' });
  });

  test('writes the worker for Python files where only this user reads it, and removes it at the end', async () => {
    const folder = await temporaryFolder();
    const TMPDIR = path.join(folder, 'tmp');
    await mkdir(TMPDIR);
    await writeFile(path.join(folder, 'double.py'), 'def handler(job):\n    return {"n": job["input"]["n"] * 2}\n');
    const env = await cleanEnvironment({ TMPDIR });
    const script = 'ls -ld "$TMPDIR"/berth-*; "$0" jobs run double --input \'{"n":21}\' --wait --json --jq .output.n';
    const args = ['local', 'exec', '--endpoint', 'double=double.py', '--', 'sh', '-c', script, berthPath()];
    const { code, stdout, stderr } = await run(args, env, folder);
    expect({ code, stdout }, stderr).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^(drwx------.*\n)+42\n$/) as string,
    });
    expect(await readdir(TMPDIR)).toEqual([]);
  });

  test('ends 14 where that worker cannot be written', async () => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, 'double.py'), '');
    const env = await cleanEnvironment({ TMPDIR: path.join(folder, 'missing') });
    const { code, stderr } = await run(['local', 'exec', '--endpoint', 'double=double.py', '--', 'true'], env, folder);
    expect(code, stderr).toBe(14);
    expect(stderr).toContain('TMPDIR');
  });

  test('reads no configuration of its runtime from the working directory', async () => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, '.env'), 'BERTH_BASE_URL=https://other.example\n');
    await writeFile(path.join(folder, 'bunfig.toml'), 'preload = ["./preload.js"]\n');
    await writeFile(path.join(folder, 'preload.js'), 'console.log("loaded");\n');
    const { code, stdout } = await run(['config', 'get', 'base-url'], await cleanEnvironment(), folder);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringMatching(/other\.example|loaded/) as string });
  });

  test('downloads no package that a handler module lacks', async () => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, 'odd.mjs'), 'import odd from "is-odd";\nexport default odd;\n');
    const env = await cleanEnvironment();
    const { code, stderr } = await run(['local', 'exec', '--endpoint', 'odd=odd.mjs', '--', 'true'], env, folder);
    expect(code, stderr).toBe(2);
    expect(stderr).toContain("Cannot find package 'is-odd'");
  });
});
