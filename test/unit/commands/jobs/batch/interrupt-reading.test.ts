import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { items, OUT, createBatchWorld } from '../../../../support/batch/command-fixture.ts';

test.each([
  ['is copied', []],
  ['is checked', ['--dry-run']],
])('Ctrl-C while standard input %s, before anything is sent: 130, and nothing is left', async (_, more) => {
  const world = await createBatchWorld();
  const stdin = new PassThrough();
  const running = berthIn({ ...world, stdin }, [
    ...['jobs', 'batch', 'run', 'echo', '--input', '-', '--out', OUT],
    ...more,
  ]);
  stdin.write(items(3));
  while (stdin.readableLength > 0 || stdin.listenerCount('readable') === 0) await new Promise(setImmediate);
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  world.signal('SIGINT');
  const ran = await running;
  expect(ran.code).toBe(130);
  expect(existsSync(join(world.directory, `${OUT}.journal`))).toBe(false);
  expect(readdirSync(world.directory).filter((name) => name.startsWith(OUT))).toEqual([]);
});
