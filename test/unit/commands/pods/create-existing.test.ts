import { expect, it } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const CREATE = ['--local', 'pods', 'create', '--name', 'n', '--image', 'img', '--gpu', 'GPU-24G', '--yes'];

it('pods create --wait with the key of a pod that is there says that it exists already', async () => {
  const world = createTestWorld();
  const keyed = [...CREATE, '--idempotency-key', 'nightly', '--wait', '-o', 'id'];
  const first = await berthIn(world, keyed);
  expect([first.code, first.err], first.err).toEqual([0, expect.stringContaining(`created ${first.out.trim()}\n`)]);
  const again = await berthIn(world, keyed);
  expect([again.code, again.out], again.err).toEqual([0, first.out]);
  expect(again.err).toContain(`${first.out.trim()} exists already: nothing was created\n`);
  expect(again.err).not.toContain(`created ${first.out.trim()}`);
});
