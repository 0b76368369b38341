import { describe, expect, test } from 'vitest';
import { createBatchWorld, local } from '../support/batch/command-fixture.ts';
import { berthIn } from '../support/worlds/run-berth.ts';

const LAG = ['fault', 'add', 'replica-lag', '--latency'];
const VOLUME = 'volumes create lab --size 10 --data-center EU-WEST-1 --type STANDARD -o id'.split(' ');
const POD = 'pods create --name lab --gpu GPU-24G --image example/pytorch:2.8 -o id'.split(' ');

describe('a 404 for an id that this machine created within the last minute', () => {
  const created = async (argv: readonly string[], lag: string) => {
    const world = await createBatchWorld();
    await local(world, ...LAG, lag);
    return { world, id: (await berthIn(world, argv)).out.trim() };
  };

  test.each<readonly [string, readonly string[], readonly string[]]>([
    ['volumes delete', VOLUME, ['volumes', 'delete', 'ID', '--yes']],
    ['volumes update', VOLUME, ['volumes', 'update', 'ID', '--name', 'x']],
    ['pods get', POD, ['pods', 'get', 'ID']],
    ['pods terminate', POD, ['pods', 'terminate', 'ID', '--yes']],
  ])('%s asks again until it is there', async (_, create, argv) => {
    const { world, id } = await created(create, '3s');
    const ran = await berthIn(
      world,
      argv.map((word) => (word === 'ID' ? id : word)),
    );
    expect(ran, ran.err).toMatchObject({ code: 0 });
  });

  test('is final after ten seconds', async () => {
    const { world, id } = await created(POD, '1h');
    const before = world.clock.monotonic();
    expect((await berthIn(world, ['pods', 'get', id])).code).toBe(4);
    expect(world.clock.monotonic() - before).toBeGreaterThanOrEqual(10_000);
    expect(world.clock.monotonic() - before).toBeLessThan(12_000);
  });

  test.each([
    ['after a minute', 61_000],
    ['once this machine has deleted it', 0],
  ])('is final at once %s', async (_, later) => {
    const { world, id } = await created(VOLUME, later === 0 ? '0s' : '1h');
    if (later === 0) await berthIn(world, ['volumes', 'delete', id, '--yes']);
    world.clock.advance(later);
    const before = world.clock.monotonic();
    expect((await berthIn(world, ['volumes', 'get', id])).code).toBe(4);
    expect(world.clock.monotonic()).toBe(before);
  });
});
