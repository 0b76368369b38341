import { PassThrough, Writable } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../../../../src/main.ts';
import { createTestWorld, type TestWorldOptions } from '../../../support/worlds/test-world.ts';

interface Called {
  readonly isError: boolean;
  readonly exitCode: number;
  readonly text: string;
  readonly result: unknown;
}

/** The client of the official SDK, on the streams of berth in this process. */
async function connect(flags: readonly string[], options: TestWorldOptions = {}) {
  const world = createTestWorld({ env: { BERTH_LOCAL: '1', ...options.env } });
  const input = new PassThrough();
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: (message) => {
      input.write(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    close: () => {
      input.end();
      return Promise.resolve();
    },
  };
  let rest = '';
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) transport.onmessage?.(JSON.parse(line) as JSONRPCMessage);
      done();
    },
  });
  const running = runCli(['mcp', ...flags], { ...world, stdin: input, stdout: output });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(async () => {
    await transport.close();
    expect(await running).toBe(0);
  });
  const call = async (
    name: string,
    given: Record<string, unknown> = {},
    more: Parameters<Client['callTool']>[2] = {},
  ): Promise<Called> => {
    const answer = await client.callTool({ name, arguments: given }, undefined, more);
    const [{ text } = { text: '' }] = answer.content as readonly { text: string }[];
    const { result } = (answer.structuredContent ?? {}) as { result?: unknown };
    return { isError: answer.isError === true, exitCode: Number(answer._meta?.['exitCode']), text, result };
  };
  // The client checks every answer against the output schema of its tool.
  const { tools } = await client.listTools();
  return { world, client, call, tools, names: tools.map(({ name }) => name) };
}

test('by default at most 40 tools, which only read', async () => {
  const { tools, names, call } = await connect([]);
  expect(names.length).toBeLessThanOrEqual(40);
  expect(names).toEqual(expect.arrayContaining(['pods_list', 'endpoints_get', 'jobs_wait', 'health']));
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  expect((await call('pods_get', { id: ['train-llm'] })).result).toMatchObject({ id: 'pod-train' });
  await expect(call('pods_create', { name: 'x' })).rejects.toThrow(/no tool pods_create/);
  await expect(call('nothing')).rejects.toThrow(/no tool nothing/);
});

test('--tools and --allow choose: a group, or all but what needs a terminal', async () => {
  expect((await connect(['--allow', 'destroy'])).names.length).toBeLessThanOrEqual(40);
  expect((await connect(['--tools', 'volumes,health'])).names).toEqual(['health', 'volumes_list', 'volumes_get']);
  const { names } = await connect(['--tools', 'all', '--allow', 'destroy']);
  expect(names).toEqual(expect.arrayContaining(['pods_terminate', 'account_ssh-keys_add', 'apply']));
  for (const name of ['mcp', 'top', 'local_serve', 'completion', 'pods_ssh']) expect(names).not.toContain(name);
  expect(await runCli(['mcp', '--tools', 'nets'], createTestWorld())).toBe(2);
});

test("a pod's life, with a dry run before it; a secret is never in a result", async () => {
  const { call } = await connect(['--allow', 'destroy']);
  const given = { 'new-name': 'lab', gpu: ['GPU-24G'], image: 'example/x:1', env: ['API_TOKEN=hush', 'MODE=a'] };
  const dry = await call('pods_create', { ...given, 'dry-run': true });
  expect(dry.result).toMatchObject({ method: 'POST', body: { env: { API_TOKEN: '***', MODE: 'a' } } });
  expect((await call('pods_get', { id: ['lab'] })).exitCode).toBe(4);
  const made = await call('pods_create', { ...given, wait: true });
  expect(made.result).toMatchObject({ name: 'lab', status: 'RUNNING', env: { API_TOKEN: '***' } });
  expect((await call('pods_stop', { id: ['lab'] })).result).toMatchObject({ status: 'EXITED' });
  const gone = await call('pods_terminate', { id: ['lab'] });
  expect([gone.isError, gone.exitCode]).toEqual([false, 0]);
  expect(made.text + dry.text).not.toContain('hush');
});

test('jobs, two calls at once, and a batch of 20', async () => {
  const { call, world } = await connect(['--allow', 'write']);
  const both = await Promise.all(
    [1, 2].map((n) => call('jobs_run', { endpoint: 'echo', input: JSON.stringify({ n }), wait: true })),
  );
  expect(both.map(({ result }) => (result as { output: unknown }).output)).toEqual([{ n: 1 }, { n: 2 }]);
  const { writeFileSync } = await import('node:fs');
  writeFileSync(
    `${world.cwd}/items.jsonl`,
    Array.from({ length: 20 }, (_, n) => `${JSON.stringify({ n })}\n`).join(''),
  );
  const batch = await call('jobs_batch_run', { endpoint: 'echo', input: 'items.jsonl', out: 'results.jsonl' });
  expect(batch, batch.text).toMatchObject({ isError: false, exitCode: 0 });
});

test('an error is the error object with the exit code; wrong arguments are refused before anything is sent', async () => {
  const { call } = await connect([]);
  const missing = await call('pods_get', { id: ['nowhere'] });
  expect(missing).toMatchObject({ isError: true, exitCode: 4 });
  expect(JSON.parse(missing.text)).toMatchObject({ error: { code: 'not-found' }, exitCode: 4 });
  for (const given of [{ ids: ['a'] }, {}, { id: ['a'], 'exit-status': 'no' }])
    expect(await call('pods_get', given)).toMatchObject({ isError: true, exitCode: given.id === undefined ? 2 : 4 });
});

test('what would raise the cost an hour above --max-cost is refused (15), also of two calls at once', async () => {
  const { call } = await connect(['--allow', 'write', '--max-cost', '9.5']);
  const pod = (name: string, count: number) =>
    call('pods_create', { 'new-name': name, gpu: ['GPU-24G'], 'gpu-count': count, image: 'example/x:1' });
  const [first, second] = await Promise.all([pod('one', 1), pod('two', 1)]);
  expect([first.exitCode, second.exitCode].sort((a, b) => a - b)).toEqual([0, 15]);
  expect(JSON.parse(first.isError ? first.text : second.text)).toMatchObject({ error: { code: 'limit-exceeded' } });
});

test('a call that has nothing to do, and a dry run of a command without a document, fit their schemas', async () => {
  const { call } = await connect(['--allow', 'destroy', '--tools', 'run,endpoints']);
  expect(await call('endpoints_update', { id: 'echo', image: 'example/echo:2' })).toMatchObject({ isError: false });
  await call('endpoints_rollback', { id: 'echo' });
  expect(await call('endpoints_rollback', { id: 'echo', release: '1' })).toMatchObject({
    isError: false,
    result: null,
  });
  const dry = await call('run', { gpu: ['GPU-24G'], image: 'example/x:1', command: ['true'], 'dry-run': true });
  expect(dry, dry.text).toMatchObject({ isError: false, exitCode: 0 });
});

test("the profile's access holds besides --allow", async () => {
  const { call } = await connect(['--allow', 'destroy'], { env: { BERTH_ACCESS: 'read' } });
  expect(await call('pods_stop', { id: ['train-llm'] })).toMatchObject({ isError: true, exitCode: 3 });
});

test('a wait reports progress, and ends when it is cancelled', async () => {
  const { call } = await connect(['--allow', 'write']);
  const cancel = new AbortController();
  const messages: string[] = [];
  const waiting = call(
    'pods_wait',
    { id: ['allocating'], for: 'EXITED', 'wait-timeout': '24h' },
    {
      signal: cancel.signal,
      onprogress: ({ message }) => {
        messages.push(message ?? '');
        cancel.abort();
      },
    },
  );
  await expect(waiting).rejects.toThrow();
  expect(messages[0]).toMatch(/Waiting for/);
  expect((await call('pods_get', { id: ['allocating'] })).isError).toBe(false);
});
