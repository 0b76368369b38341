import { expect, it } from 'vitest';
import { berth, berthIn } from '../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../support/worlds/test-world.ts';

it('the prefix of a profile applies to the local service, which has no profile of its own', async () => {
  const world = createTestWorld();
  await berthIn(world, ['config', 'set', 'worker-prefix', 'PFX', '--profile', 'work']);
  const row = async (...flags: readonly string[]): Promise<unknown> =>
    (
      JSON.parse((await berthIn(world, ['config', 'list', '--json', ...flags])).out) as readonly {
        readonly name: string;
      }[]
    ).find(({ name }) => name === 'worker-prefix');
  expect(await row('--local')).toMatchObject({ value: null });
  await berthIn(world, ['auth', 'switch', 'work']);
  expect(await row('--local')).toMatchObject({ value: 'PFX', source: 'profile' });
  expect(await row()).toMatchObject({ value: 'PFX', source: 'profile' });
});

it.each(['', '1A', 'A-B', 'A B', 'A=1', 'Ä', 'A\nB'])('%j cannot begin the name of a variable', async (prefix) => {
  const argv = ['local', 'exec', '--worker-prefix', prefix, '--', 'true'];
  const { code, err } = await berth(argv);
  expect(code).toBe(2);
  expect(err).toContain('cannot begin the name of a variable');
});
