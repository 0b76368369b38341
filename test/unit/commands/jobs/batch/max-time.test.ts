import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { items, OUT, createBatchWorld, RUN, write } from '../../../../support/batch/command-fixture.ts';

test('--max-time that passes during the first request ends with 9 and leaves no files', async () => {
  const mute = createServer(() => undefined);
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    mute.closeAllConnections();
    mute.close();
  });
  const world = await createBatchWorld();
  write(world, 'in.jsonl', items(3));
  const url = `http://127.0.0.1:${String((mute.address() as AddressInfo).port)}`;
  const ran = await berthIn(world, ['--queue-url', url, ...RUN, '--max-time', '20ms', '--json']);
  expect(ran.code, ran.err).toBe(9);
  expect(JSON.parse(ran.err)).toMatchObject({ error: { code: 'wait-ended' } });
  expect(ran.err).toContain('Nothing was sent');
  expect(existsSync(join(world.directory, OUT))).toBe(false);
});
