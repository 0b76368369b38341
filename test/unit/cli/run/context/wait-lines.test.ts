import { expect, test } from 'vitest';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';
import { json, pointedAt, serve } from '../../../../support/servers/scripted-server.ts';

async function waited(timeout: string, ...flags: readonly string[]): Promise<Ran> {
  const server = await serve([json({ id: 'p1', status: 'STARTING' })]);
  const world = createTestWorld({ env: pointedAt(server.url) });
  return await berthIn(world, ['pods', 'wait', 'p1', '--wait-timeout', timeout, ...flags]);
}

const linesOf = ({ err }: Ran): readonly string[] => err.split('\n').filter((line) => line.startsWith('Waiting for'));

test('a longer wait says so after 10 s, and then every 30 s', async () => {
  const ran = await waited('75s');
  expect(ran.code).toBe(9);
  const lines = linesOf(ran);
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toMatch(/^Waiting for reachable: p1 STARTING, \S+$/);
});

test.each([[['--quiet']], [['--json', '--quiet']]])('%j says nothing but the error', async (flags) => {
  const ran = await waited('5m', ...flags);
  expect(ran.code).toBe(9);
  expect(ran.err).toMatch(/^(error: pod p1 not reachable after 5m|\{"error":\{"code":"wait-ended")/);
});
