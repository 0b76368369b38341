import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleanEnvironment, isPackage, runProgram, berthPath, temporaryFolder, type Environment } from './support.ts';

// What only the single executable can get wrong. `npm run binary-trials` runs this file.

const run = (args: readonly string[], env: Environment, cwd: string) => runProgram(berthPath(), args, { env, cwd });

describe.skipIf(isPackage)('the single executable', () => {
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
      stdout: expect.stringMatching(/^drwx------.*\n42\n$/) as string,
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
