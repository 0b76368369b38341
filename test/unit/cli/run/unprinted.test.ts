/** What was written, where stdout takes nothing: an id is never lost. */
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

function berthInto(code: string, argv: readonly string[]) {
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => {
      done(Object.assign(new Error(code), { code }));
    },
  });
  return berthIn({ ...createTestWorld(), stdout }, ['--local', ...argv]);
}

test.each([
  ['jobs run echo --input {}'],
  ['pods create --name new --image img --gpu GPU-24G --yes'],
  ['endpoints create --name new --image img --gpu-pool POOL-24G'],
  ['volumes create --name new --size 10 --data-center EU-WEST-1 --yes'],
])('%s: the id is said on stderr', async (line) => {
  const gone = await berthInto('EPIPE', line.split(' '));
  expect([gone.code, gone.err]).toEqual([0, expect.stringMatching(/so this was not printed there: \S+\n$/m)]);
  const full = await berthInto('ENOSPC', line.split(' '));
  expect(full.code).toBe(14);
  expect(full.err).toMatch(/the disk is full[^]*The service completed the request: \S+/);
});

test.each([
  ['EOF', 0],
  ['EDQUOT', 14],
  ['EIO', 14],
])('a list whose output fails with %s ends %i', async (code, exit) => {
  expect((await berthInto(code, ['pods', 'list'])).code).toBe(exit);
});

test('a read, and a change of what is there, say nothing of it', async () => {
  for (const line of ['pods list', 'pods stop pod-train --yes']) {
    const { code, err } = await berthInto('EPIPE', line.split(' '));
    expect([code, err]).toEqual([0, expect.not.stringContaining('Standard output is closed')]);
  }
});
