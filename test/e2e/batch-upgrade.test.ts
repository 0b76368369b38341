import { copyFile, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  berthPath,
  cleanEnvironment,
  installedAt,
  isPackage,
  runProgram,
  startOf,
  temporaryFolder,
} from './support.ts';

const ITEMS = 50;

/** A copy of the program under test: the words that start it, and what is removed of it. */
async function copyOfProgram(): Promise<{ readonly start: readonly [string, ...string[]]; readonly parts: string }> {
  const folder = await temporaryFolder();
  if (isPackage) {
    await cp(installedAt(), folder, { recursive: true, dereference: true });
    return { start: startOf(folder), parts: path.join(folder, 'dist') };
  }
  const file = path.join(folder, 'berth');
  await copyFile(berthPath(), file);
  return { start: [file], parts: file };
}

test.each([
  ['a table', []],
  ['JSON', ['--json']],
  ['YAML, the results in order', ['-o', 'yaml', '--ordered']],
  ['CSV, with items that are lost', ['-o', 'csv', '--input-format', 'csv']],
])('a batch whose program is removed while it runs ends as it should: %s', async (name, flags) => {
  const folder = await temporaryFolder();
  const program = await copyOfProgram();
  const isTable = name.startsWith('CSV');
  const lines = Array.from({ length: ITEMS + 1 }, (_, at) => (isTable ? `${String(at)}\n` : `{"n":${String(at)}}\n`));
  await writeFile(path.join(folder, 'in'), lines.join(''));
  const losing = name.includes('lost');
  let submissions = 0;
  const server = createServer((request, response) => {
    const [, , , operation, id = ''] = (request.url ?? '').split('/');
    request.resume();
    const send = (body: unknown): void => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    request.on('end', () => {
      if (operation !== 'run') {
        send({ id, status: 'COMPLETED', output: 1 });
        return;
      }
      submissions += 1;
      const job = losing && submissions === 7 ? '..' : `job-${String(submissions)}`;
      if (submissions !== 5) send({ id: job });
      else
        void rm(program.parts, { recursive: true }).then(() => {
          send({ id: job });
        });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const env = await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_API_KEY: 'a-test-key' });
  const argv = ['jobs', 'batch', 'run', 'e', '--input', 'in', '--out', 'out', '--concurrency', '4', ...flags];
  const [command, ...first] = program.start;
  const ran = await runProgram(command, [...first, ...argv], { env, cwd: folder });
  expect(ran.stderr).not.toMatch(/Cannot find|ERR_MODULE|a bug in berth/);
  expect(ran.code, ran.stderr).toBe(losing ? 13 : 0);
  expect(ran.stdout).toMatch(/completed/i);
  expect((await readFile(path.join(folder, 'out'), 'utf8')).trim().split('\n').length).toBeGreaterThanOrEqual(
    ITEMS - 1,
  );
});

test.skipIf(!isPackage)('a batch whose program is away before all of it was read ends with 14', async () => {
  const folder = await temporaryFolder();
  const program = await copyOfProgram();
  await writeFile(path.join(folder, 'in'), '{"n":1}\n');
  // Its folder is gone at the moment when the rest of it is read.
  const away = path.join(folder, 'away.cjs');
  await writeFile(
    away,
    `const fs = require('node:fs');
const { readdirSync } = fs;
fs.readdirSync = (of, ...more) => readdirSync(/dist$/.test(String(of)) ? of + '-away' : of, ...more);`,
  );
  const address = 'http://127.0.0.1:9';
  const env = await cleanEnvironment({
    BERTH_BASE_URL: address,
    BERTH_QUEUE_URL: address,
    BERTH_API_KEY: 'a-test-key',
  });
  const [command, ...first] = program.start;
  const argv = ['--require', away, ...first, 'jobs', 'batch', 'run', 'e', '--input', 'in', '--out', 'out'];
  const ran = await runProgram(command, argv, { env, cwd: folder });
  expect([ran.code, ran.stderr]).toEqual([14, expect.stringContaining('it was replaced or removed while it ran')]);
});
