import { expect, it } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

/** Runs commands in one world of the local service: each must end 0 and gives its JSON. */
function session() {
  const world = createTestWorld();
  return async (...argv: readonly string[]): Promise<unknown> => {
    const ran = await berthIn(world, ['--local', '--json', ...argv]);
    expect([argv, ran.code, ran.err]).toEqual([argv, 0, ran.err]);
    return JSON.parse(ran.out);
  };
}

it('local status counts what the lists show', async () => {
  const ask = session();
  const status = (await ask('local', 'status')) as Record<string, number>;
  for (const [noun, member] of [
    ['pods', 'pods'],
    ['endpoints', 'endpoints'],
    ['templates', 'templates'],
    ['volumes', 'networkVolumes'],
    ['registries', 'registries'],
    ['clusters', 'clusters'],
  ] as const)
    expect([noun, ((await ask(noun, 'list')) as unknown[]).length]).toEqual([noun, status[member]]);
});

it('local status shows jobs and faults with readable names, and `none` if there are none', async () => {
  const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
  const status = async (): Promise<string> => (await berthIn(world, ['local', 'status'])).out;
  expect(await status()).toMatch(/\njobs\tnone\nfaults\tnone\n$/);
  await berthIn(world, ['jobs', 'run', 'echo', '--input', '{}', '--wait']);
  await berthIn(world, ['jobs', 'run', 'fail', '--input', '{}', '--wait']);
  await berthIn(world, ['local', 'fault', 'add', 'latency', '--match', 'POST /v2/x', '--latency', '2s']);
  await berthIn(world, ['local', 'fault', 'add', 'drop', '--count', '3', '--match', '/v2/x']);
  expect(await status()).toMatch(
    /\njobs\t1 COMPLETED, 1 FAILED\nfaults\t\S+ latency, match POST \/v2\/x, latency 2s\nfaults\t\S+ drop, count 3, match \/v2\/x\n$/,
  );
  expect((await berthIn(world, ['local', 'reset', '--yes'])).out).toContain('\njobs\tnone\n');
});

it('an unknown fault id does not suggest that another service answered', async () => {
  const ran = await berthIn(createTestWorld(), ['local', 'fault', 'clear', 'nope']);
  expect(ran.code).toBe(4);
  expect(ran.err).toContain('fault not found');
});

it('public templates are listed by their source, and each is shown by its id', async () => {
  const ask = session();
  const ids = new Set<string>();
  for (const source of ['official', 'verified', 'community'])
    for (const { id } of (await ask('catalog', 'templates', '--source', source)) as { readonly id: string }[]) {
      expect(await ask('catalog', 'templates', id)).toMatchObject({ id, public: true });
      expect(ids.has(id)).toBe(false);
      ids.add(id);
    }
  expect(ids.size).toBeGreaterThan(2);
});
