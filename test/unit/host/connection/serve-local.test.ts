import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { said } from '../../../support/worlds/answer-question.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

/** The addresses of this machine that other machines may reach. */
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .flatMap(({ internal, address, family }) => (internal || family !== 'IPv4' ? [] : [address]));

it.skipIf(outside.length === 0)('other machines cannot reach a local service that is served', async () => {
  const world = createTestWorld();
  const running = berthIn(world, ['local', 'serve', '--port', '0']);
  await said(world, 'BERTH_API_KEY');
  for (const address of outside) {
    const [error] = (await once(connect(Number(new URL(world.out().trim()).port), address), 'error')) as [Error];
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  }
  world.signal('SIGINT');
  await running;
});

it('the output of a handler module goes to stderr as safe text, each line prefixed with the endpoint', async () => {
  const world = createTestWorld();
  const source = `export default () => { console.log("one\\n\\u001b]0;two\\u0007"); console.error("three"); return {}; };`;
  await writeFile(join(world.cwd, 'loud.mjs'), source);
  const running = berthIn(world, ['local', 'serve', '--port', '0', '--endpoint', 'loud=loud.mjs']);
  await said(world, 'BERTH_API_KEY');
  const key = /BERTH_API_KEY=(\S+)/.exec(world.err())?.[1] ?? '';
  const env = { BERTH_BASE_URL: world.out().trim(), BERTH_QUEUE_URL: world.out().trim(), BERTH_API_KEY: key };
  // Its clock is faster than the one of the worker.
  const run = ['jobs', 'run', 'loud', '--input', '{}', '--wait', '--wait-timeout', '100h'];
  expect((await berthIn(createTestWorld({ env }), run)).code).toBe(0);
  world.signal('SIGINT');
  const lines = (await running).err.split('\n').filter((line) => line.startsWith('[loud]'));
  expect(lines.toSorted()).toEqual(['[loud] \\x1b]0;two\\x07', '[loud] one', '[loud] three']);
});
