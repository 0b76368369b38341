import { spawn } from 'node:child_process';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { berthPath, runProgram } from './support.ts';
import { folderWith, serveLocal, until } from './workers/support.ts';

interface Posted {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A program that takes webhooks. */
async function receiver() {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      posted.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.end();
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, posted };
}

test('what the local service posts is received, posted again after --fail-first, forwarded byte for byte, and replayed', async () => {
  const folder = await folderWith({});
  const service = await serveLocal(folder, ['--allow-private-webhooks']);
  const { url, key } = service;
  const env = {
    ...folder.env,
    ...{ BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_REST_URL: url, BERTH_API_KEY: key },
  };
  const run = async (...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProgram(berthPath(), argv, { env, cwd: folder.path });
    if (code !== 0) throw new Error(`berth ${argv.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  const { url: hook, posted } = await receiver();
  const listener = spawn(
    berthPath(),
    ['webhooks', 'listen', '--port', '0', '--fail-first', '1', '--forward-to', `${hook}/hook`, '-o', 'jsonl'],
    { env, cwd: folder.path, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void listener.kill());
  let [rows, said] = ['', ''];
  listener.stdout.setEncoding('utf8').on('data', (text: string) => (rows += text));
  listener.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until(() => /Listening at (http:\S+),/.test(said));
  const [, address = ''] = /Listening at (http:\S+),/.exec(said) ?? [];
  await run(
    'jobs',
    'run',
    'echo',
    '--input',
    '{"n":9007199254740993,"é":"ü"}',
    '--webhook',
    `${address}/jobs?a=1`,
    '--wait',
  );
  // The service posts again after ten seconds.
  await until(() => rows.split('\n').length > 2);
  const [refused, taken] = rows
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; answered: number; file: string; target: string; job: string });
  expect([refused?.answered, taken?.answered, posted.length]).toEqual([500, 200, 1]);
  expect(taken?.target).toBe('/jobs?a=1');
  expect(posted[0]?.body).toBe(readFileSync(taken?.file ?? '', 'utf8'));
  expect(readFileSync(refused?.file ?? '', 'utf8')).toBe(posted[0]?.body);
  expect(posted[0]?.body).toContain('9007199254740993');
  expect(posted[0]?.headers['content-type']).toContain('application/json');
  await run('webhooks', 'replay', taken?.id ?? '', '--to', `${hook}/again`);
  expect(posted.map(({ url: path, body }) => [path, body === posted[0]?.body])).toEqual([
    ['/hook', true],
    ['/again', true],
  ]);
});
