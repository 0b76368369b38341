/** The reader of stdout is gone before something is printed, as after `| true`. */
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

/** A world whose standard output takes nothing. */
function worldWithoutReader() {
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => {
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    },
  });
  return { ...createTestWorld(), stdout };
}

const CREATES = [
  ['jobs run', ['jobs', 'run', 'echo', '--input', '{}']],
  ['pods create', ['pods', 'create', '--name', 'new', '--image', 'img', '--gpu', 'GPU-24G', '--yes']],
  ['endpoints create', ['endpoints', 'create', '--name', 'new', '--image', 'img', '--gpu-pool', 'POOL-24G']],
  ['volumes create', ['volumes', 'create', '--name', 'new', '--size', '10', '--data-center', 'EU-WEST-1', '--yes']],
] as const;

it.each(CREATES)('%s: what was created is said on stderr', async (_, argv) => {
  const whole = await berthIn(createTestWorld(), ['--local', ...argv, '-o', 'id']);
  expect(whole.code, whole.err).toBe(0);
  const { code, err } = await berthIn(worldWithoutReader(), ['--local', ...argv]);
  expect(code).toBe(0);
  expect(err).toMatch(/^Standard output is closed, so this was not printed there: \S+\n$/m);
});

it('a read, and a change of what is there, end without a word', async () => {
  for (const argv of [
    ['pods', 'list'],
    ['pods', 'stop', 'pod-train', '--yes'],
  ]) {
    const { code, err } = await berthIn(worldWithoutReader(), ['--local', ...argv]);
    expect([code, err]).toEqual([0, expect.not.stringContaining('Standard output is closed')]);
  }
});
