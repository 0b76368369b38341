import { spawn } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  berthPath,
  cleanEnvironment,
  installedAt,
  isPackage,
  nodePath,
  packageTest,
  runProgram,
  serveJson,
  temporaryFolder,
  type Ended,
  type Environment,
} from './support.ts';

// Row 43 of docs/faults.md, and limits of the system: one clear error each, no stack trace.

const clear = (stderr: string): void => {
  expect(stderr).not.toMatch(/\n\s+at |is not a function|a bug in berth/);
};

/** Runs berth with a limit of open files. */
const withLimit = (limit: number, env: Environment, ...args: readonly string[]): Promise<Ended> =>
  runProgram('bash', ['-c', `ulimit -c 0 -n ${String(limit)}; exec "$@"`, 'sh', berthPath(), ...args], { env });

describe('`ulimit -n` is a clear error, or none', () => {
  const MOST = 100;
  /** The fewest open files with which the program starts. With fewer, the runtime fails before berth runs. */
  let fewest = 3;
  beforeAll(async () => {
    const env = { PATH: `${path.dirname(nodePath())}${path.delimiter}${process.env['PATH'] ?? ''}` };
    while (fewest < MOST && (await withLimit(fewest, env, '--version')).code !== 0) fewest += 1;
  });

  test.each([0, 3])('of a request, where the limit is %i higher than the start needs', async (more) => {
    const { url } = await serveJson({ pods: [] });
    const env = await cleanEnvironment({
      BERTH_BASE_URL: url,
      BERTH_API_KEY: 'key-of-this-test-0123456789',
    });
    expect(fewest).toBeLessThan(MOST);
    const { code, stderr } = await withLimit(fewest + more, env, 'pods', 'list', '--json');
    clear(stderr);
    expect([0, 7, 14]).toContain(code);
    if (code !== 0) expect(stderr).toMatch(/too many files are open/);
  });
});

test('`ulimit -f` is a clear error, not a death by a signal', async () => {
  const env = await cleanEnvironment();
  const script = 'ulimit -f 1; exec "$@"';
  const args = ['-c', script, 'sh', berthPath(), '--local', 'pods', 'list'];
  const { code, stderr } = await runProgram('bash', args, { env });
  clear(stderr);
  expect(code, stderr).toBe(14);
  expect(stderr).toContain('ulimit -f');
});

test('a profiles file that the disk has no room for is left as it was', async () => {
  const folder = await temporaryFolder();
  const file = path.join(folder, 'config.json');
  const text = JSON.stringify({ profiles: { own: { 'secret-names': 'X'.repeat(5000) } } });
  writeFileSync(file, text, { mode: 0o600 });
  const env = await cleanEnvironment({ BERTH_CONFIG_DIR: folder });
  const args = ['-c', 'ulimit -f 4; exec "$@"', 'sh', berthPath(), 'config', 'set', 'timeout', '20s'];
  const { code, stderr } = await runProgram('bash', args, { env });
  expect(code, stderr).toBe(14);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('in a directory that was removed, relative names are refused and nothing is written to the root', async () => {
  const folder = path.join(await temporaryFolder(), 'gone');
  const script = 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"';
  const name = `berth-test-${String(process.pid)}.jsonl`;
  const run = (...args: readonly string[]) =>
    cleanEnvironment().then((env) => runProgram('bash', ['-c', script, folder, berthPath(), ...args], { env }));
  const input = path.join(await temporaryFolder(), 'in.jsonl');
  writeFileSync(input, '{}\n');
  const { code, stderr } = await run('--local', 'jobs', 'batch', 'run', 'echo', '--input', input, '--out', name);
  const landed = existsSync(path.join('/', name));
  rmSync(path.join('/', name), { force: true });
  expect(landed).toBe(false);
  if (isPackage) {
    expect(code, stderr).toBe(14);
    expect(stderr).toContain('the working directory does not exist any more');
    expect((await run('--local', 'pods', 'list')).code).toBe(0);
  } else {
    // The runtime of the single executable refuses to start there, before berth runs.
    expect(code, stderr).toBe(1);
    expect(stderr).toContain('working directory was deleted');
  }
});

/** A copy of the installed program that a test may replace. */
async function copyOfProgram(): Promise<{ readonly berth: string; upgrade(): void }> {
  const folder = path.join(await temporaryFolder(), 'berth');
  if (!isPackage) {
    const next = `${folder}.next`;
    copyFileSync(berthPath(), folder);
    writeFileSync(next, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    return {
      berth: folder,
      upgrade: () => {
        renameSync(next, folder);
      },
    };
  }
  cpSync(installedAt(), folder, { recursive: true });
  return {
    berth: path.join(folder, 'bin/berth'),
    upgrade: () => {
      const dist = path.join(folder, 'dist');
      renameSync(dist, `${dist}-old`);
      cpSync(`${dist}-old`, dist, { recursive: true });
      // The files of the next version have other names.
      for (const name of readdirSync(dist)) if (/-[A-Z0-9]{8}\.cjs/.test(name)) rmSync(path.join(dist, name));
      for (const name of readdirSync(dist))
        if (name.includes('.pack.cjs')) writeFileSync(path.join(dist, name), '({})');
      rmSync(`${dist}-old`, { recursive: true });
    },
  };
}

test('a batch goes on to its end where the program is replaced while it runs', async () => {
  const program = await copyOfProgram();
  const folder = await temporaryFolder();
  writeFileSync(path.join(folder, 'in.jsonl'), '{"seconds":1}\n'.repeat(4));
  const args = ['--local', 'jobs', 'batch', 'run', 'sleep', '--input', 'in.jsonl', '--out', 'out.jsonl'];
  const child = spawn(program.berth, args, { env: await cleanEnvironment(), cwd: folder, stdio: 'pipe' });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdout.resume();
  const ended = new Promise((resolve) => child.on('close', resolve));
  while (!readdirSync(folder).some((name) => name.includes('journal')) && child.exitCode === null) await pause(10);
  program.upgrade();
  expect(await ended, stderr).toBe(0);
  clear(stderr);
  expect(readFileSync(path.join(folder, 'out.jsonl'), 'utf8').trim().split('\n')).toHaveLength(4);
});

test('`local serve` goes on, and ends well, where the program is replaced while it runs', async () => {
  const program = await copyOfProgram();
  const child = spawn(program.berth, ['local', 'serve', '--port', '0'], {
    env: await cleanEnvironment(),
    stdio: 'pipe',
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const url = await new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => {
      resolve(text.trim());
    });
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  while (!stderr.includes('BERTH_API_KEY=')) await pause(10);
  const key = /BERTH_API_KEY=(\S+)/.exec(stderr)?.[1] ?? '';
  program.upgrade();
  const answer = await fetch(`${url}/v2/pods`, { headers: { Authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended, stderr).toBe(143);
  clear(stderr);
});

packageTest('what cannot be loaded any more ends with one clear error', async () => {
  const program = await copyOfProgram();
  program.upgrade();
  const { code, stderr } = await runProgram(program.berth, ['--local', 'pods', 'list'], {
    env: await cleanEnvironment(),
  });
  clear(stderr);
  expect(code).toBe(14);
  expect(stderr).toMatch(/cannot load/);
  expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(3);
});

packageTest('a missing parser of answers is a part that cannot be loaded, and not a failed connection', async () => {
  const program = await copyOfProgram();
  rmSync(path.join(path.dirname(program.berth), '../dist/llhttp_simd.wasm'));
  const env = { ...(await cleanEnvironment()), BERTH_BASE_URL: 'http://127.0.0.1:65535', BERTH_API_KEY: 'key' };
  const { code, stderr } = await runProgram(program.berth, ['pods', 'get', 'p1'], { env });
  clear(stderr);
  expect(code).toBe(14);
  expect(stderr).toMatch(/cannot load/);
});
