import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { runCli } from '../../../../../src/main.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';

const full = (): Writable =>
  new Writable({
    write: (_chunk, _encoding, done) => {
      done(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    },
  });

test.each<[string, readonly string[], RegExp | undefined]>([
  [
    'a created volume',
    ['volumes', 'create', '--name', 'v', '--size', '10', '--data-center', 'EU-WEST-1'],
    /The service completed the request: vol-\w+/,
  ],
  ['a submitted job', ['jobs', 'run', 'demo', '--input', '{}'], /The service completed the request: [\w-]+/],
  ['the answer to a read', ['pods', 'list'], undefined],
])('%s that cannot be printed ends 14, and the error says whether the write was done', async (_, argv, happened) => {
  const world = { ...createTestWorld({ env: { BERTH_LOCAL: '1' } }), stdout: full() };
  expect(await runCli(argv, world)).toBe(14);
  expect(world.err()).toMatch(/the disk is full/);
  if (happened === undefined) expect(world.err()).toMatch(/then run it again/);
  else {
    expect(world.err()).toMatch(happened);
    expect(world.err()).not.toMatch(/then run it again/);
  }
});
