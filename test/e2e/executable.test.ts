import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
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

// One command of each kind, and what only the single executable can get wrong. `npm test` and `npm run binary-trials` run this file
// on the executable.

const run = (args: readonly string[], env: Environment, cwd: string) => runProgram(berthPath(), args, { env, cwd });

const tls = (name: string): string => fileURLToPath(new URL(`../support/tls/test-only-${name}.pem`, import.meta.url));

/** Starts the local service until the test is over. Returns its port and its key. */
async function serveLocal(): Promise<{ readonly port: number; readonly key: string }> {
  const service = spawn(berthPath(), ['local', 'serve', '--port', '0'], { env: await cleanEnvironment() });
  const ended = once(service, 'exit');
  onTestFinished(async () => {
    service.kill();
    await ended;
  });
  let said = '';
  for (const stream of [service.stdout, service.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const found = (pattern: RegExp): string | undefined => pattern.exec(said)?.[1];
  for (;;) {
    const [port, key] = [found(/^http:\/\/\S+:(\d+)$/m), found(/BERTH_API_KEY=(\S+)\n/)];
    if (port !== undefined && key !== undefined) return { port: Number(port), key };
    await Promise.race([once(service.stdout, 'data'), once(service.stderr, 'data'), ended]);
    if (service.exitCode !== null) throw new Error(`it was not served: ${said}`);
  }
}

/** Passes requests over TLS on to a port until the test is over. Returns the address. */
async function tlsInFrontOf(port: number): Promise<string> {
  const server = createServer({ key: readFileSync(tls('key')), cert: readFileSync(tls('certificate')) }, (from, to) => {
    const headers = { ...from.headers, host: `127.0.0.1:${String(port)}` };
    const onward = request({ port, host: '127.0.0.1', method: from.method, path: from.url, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    onward.on('error', () => to.destroy());
    from.pipe(onward);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://localhost:${String((server.address() as AddressInfo).port)}`;
}

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

  test('sends requests over TLS to the local service, and refuses a certificate that is not trusted', async () => {
    const { port, key } = await serveLocal();
    const env = await cleanEnvironment({
      BERTH_BASE_URL: await tlsInFrontOf(port),
      BERTH_API_KEY: key,
      BERTH_RETRIES: '0',
    });
    const refused = await berth(['pods', 'list', '-o', 'id'], { env });
    expect(refused).toMatchObject({ code: 7, stdout: '' });
    expect(refused.stderr).toContain('self-signed and not trusted');
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: tls('certificate') };
    expect(await berth(['pods', 'list', '-o', 'id'], { env: trusting })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^(pod-\S+\n)+$/) as string,
    });
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
