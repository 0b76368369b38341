import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { realClock } from '../../../../src/host/runtime/runtime.ts';
import { createLocalHost } from '../../../../src/host/context.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

/** The addresses of this machine that other machines may reach. */
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .flatMap(({ internal, address, family }) => (internal || family !== 'IPv4' ? [] : [address]));

it.skipIf(outside.length === 0)('other machines cannot reach a local service that is served', async () => {
  const host = createLocalHost({
    clock: realClock,
    random: Math.random,
    cwd: temporaryDirectory(),
    env: {},
    platform: process.platform,
    workerRunner: () => '',
    stderr: new PassThrough(),
    holdProgram: () => undefined,
    user: undefined,
  });
  const server = await host.serve({ port: 0, endpoints: {}, queueLimits: false });
  try {
    for (const address of outside) {
      const [error] = (await once(connect(Number(new URL(server.url).port), address), 'error')) as [Error];
      expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    }
  } finally {
    await server.stop();
  }
});

it('the output of a handler module goes to stderr as safe text, each line prefixed with the endpoint', async () => {
  const cwd = temporaryDirectory();
  await writeFile(
    join(cwd, 'loud.mjs'),
    'export default () => { console.log("one\\n\\u001b]0;two\\u0007"); console.error("three"); return {}; };',
  );
  const stderr = new PassThrough({ encoding: 'utf8' });
  const host = createLocalHost({
    clock: realClock,
    random: Math.random,
    cwd,
    env: {},
    platform: process.platform,
    workerRunner: () => '',
    stderr,
    holdProgram: () => undefined,
    user: undefined,
  });
  const server = await host.serve({ port: 0, endpoints: { loud: 'loud.mjs' }, queueLimits: false });
  try {
    const answer = await fetch(`${server.url}/v2/loud/runsync`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${server.key}` },
      body: '{"input":{}}',
    });
    expect(await answer.json()).toMatchObject({ status: 'COMPLETED' });
  } finally {
    await server.stop();
  }
  const lines = String(stderr.read()).trimEnd().split('\n');
  expect(lines.toSorted()).toEqual(['[loud] \\x1b]0;two\\x07', '[loud] one', '[loud] three']);
});
