import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { cleanEnvironmentIn, startLine, temporaryFolder } from './support.ts';

test('the client of the official SDK lists the tools of the package, calls them, and is told what is wrong', async () => {
  const env = cleanEnvironmentIn(await temporaryFolder());
  const [command, ...args] = [...startLine(), '--local', 'mcp', '--allow', 'write'];
  const transport = new StdioClientTransport({ command, args, env });
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  expect(client.getServerVersion()?.name).toBe('berth');
  await client.ping();
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('pods_list');
  const pod = await client.callTool({ name: 'pods_get', arguments: { id: ['train-llm'] } });
  expect(pod.structuredContent).toMatchObject({ result: { id: 'pod-train' } });
  const steps: unknown[] = [];
  const job = { name: 'jobs_run', arguments: { endpoint: 'sleep', input: '{"seconds":0.1}', wait: true } };
  const done = await client.callTool(job, undefined, { onprogress: (step) => steps.push(step) });
  expect(done.structuredContent).toMatchObject({ result: { status: 'COMPLETED' } });
  const hardware = { gpu: ['GPU-24G'], image: 'example/image:1' };
  const ran = await client.callTool({
    name: 'run',
    arguments: { ...hardware, command: ['sh', '-c', 'echo out; exit 3'] },
  });
  expect(ran).toMatchObject({
    _meta: { exitCode: 3 },
    content: [{ text: expect.stringMatching(/^out\n[^]*"exitCode":3/) }],
  });
  expect(ran.isError).not.toBe(true);
  await expect(client.callTool({ name: 'nothing' })).rejects.toThrow(/no tool nothing/);
  await expect(client.request({ method: 'tools/call', params: { name: 1 } } as never, ResultSchema)).rejects.toThrow(
    /name/,
  );
  await expect(client.listResources()).rejects.toThrow(/Method not found/);
});
