import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { version } from '../../package.json';
import { cleanEnvironment, packageTest, runProgram, temporaryFolder } from './support.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'];

/** What stands for an executable: it is made anew by `npm run binary-trials` alone. */
const STUB = '#!/bin/sh\necho stub-version\n';

async function release(folder: string): Promise<string> {
  for (const platform of PLATFORMS) {
    const place = path.join(folder, 'executables', platform);
    await mkdir(place, { recursive: true });
    await writeFile(path.join(place, platform.startsWith('win32') ? 'berth.exe' : 'berth'), STUB);
    await writeFile(path.join(place, 'THIRD-PARTY-LICENSES.txt'), 'licences');
  }
  const out = path.join(folder, 'release');
  const words = ['scripts/release-files.mjs', '--executables', path.join(folder, 'executables'), '--out', out];
  const made = await runProgram(process.execPath, words, { env: await npmEnvironment(folder), cwd: ROOT });
  expect(made.code, made.stderr).toBe(0);
  return out;
}

const npmEnvironment = async (folder: string) => ({
  ...(await cleanEnvironment()),
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  npm_config_cache: path.join(folder, 'npm'),
});

/** Serves a folder until the test is over. Returns the address. */
async function serveFolder(folder: string): Promise<string> {
  const server = createServer((request, response) => {
    readFile(path.join(folder, path.basename(request.url ?? ''))).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

packageTest('release files have their sums, and their script installs one file, or nothing', async () => {
  const folder = await temporaryFolder();
  const out = await release(folder);
  const names = await readdir(out);
  expect(names).toEqual(
    expect.arrayContaining([`berth-${version}.tgz`, 'berth-win32-x64.exe', 'berth.bash', 'berth.fish', 'install.sh']),
  );
  const sums = (await readFile(path.join(out, 'SHA256SUMS'), 'utf8')).trim().split('\n');
  expect(sums).toHaveLength(names.length - 1);
  for (const line of sums) {
    const [sum, name = ''] = line.split('  ');
    expect([name, sum]).toEqual([
      name,
      createHash('sha256')
        .update(await readFile(path.join(out, name)))
        .digest('hex'),
    ]);
  }
  const address = await serveFolder(out);
  const home = path.join(folder, 'home');
  const installed = path.join(home, '.local/bin/berth');
  const env = { ...(await npmEnvironment(folder)), HOME: home };
  const install = (base: string) => runProgram('sh', [path.join(out, 'install.sh'), base], { env, cwd: folder });

  for (const base of ['', 'http://downloads.example.com', 'file:///tmp'])
    expect(await install(base)).toMatchObject({ code: 1, stderr: 'error: usage: sh install.sh https://ADDRESS\n' });
  expect(existsSync(installed)).toBe(false);

  const done = await install(`${address}/`);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('installed berth stub-version: ') as string });
  expect(await readFile(installed, 'utf8')).toBe(STUB);

  // What was installed stays where the new one is not what the sums name.
  const [mine = ''] = names.filter((name) => name === `berth-${process.platform}-${process.arch}`);
  await writeFile(path.join(out, mine), `${STUB}#`);
  expect(await install(address)).toMatchObject({ code: 1, stderr: expect.stringContaining('SHA-256') as string });
  await writeFile(path.join(out, 'SHA256SUMS'), sums.filter((line) => !line.endsWith(mine)).join('\n'));
  expect(await install(address)).toMatchObject({ code: 1, stderr: expect.stringContaining('does not name') as string });
  expect(await readFile(installed, 'utf8')).toBe(STUB);
  expect(await readdir(path.dirname(installed))).toEqual(['berth']);
});
