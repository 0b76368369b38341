import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createState } from '../../../../src/local/state/state.ts';
import { fileStore } from '../../../support/local/file-store.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

test.each([3, 4, 5])('JSON of another program with version %i is refused, and left as it is', async (version) => {
  const path = join(temporaryDirectory(), 'app.js.map');
  const map = JSON.stringify({ version, sources: ['a.ts'], names: [], mappings: 'AAAA' });
  writeFileSync(path, map);
  const change = fileStore(path).transact(
    () => createState(0),
    (state) => (state.serial += 1),
  );
  await expect(change).rejects.toMatchObject({ exit: 14, message: expect.stringContaining('app.js.map') as string });
  expect(readFileSync(path, 'utf8')).toBe(map);
});

test.each([
  ['jobs that are a list', { jobs: [1] }],
  ['a waiting line that is an object', { lanes: { echo: { waiting: {}, waitingLow: [], workers: {} } } }],
  ['timers that are an object', { timers: {} }],
  ['deliveries that are text', { outbox: 'a' }],
])('a state of an old version with %s is refused, and left as it is', async (_, queue) => {
  const path = join(temporaryDirectory(), 'state.json');
  const old = JSON.stringify({ version: 4, since: 0, queue });
  writeFileSync(path, old);
  const change = fileStore(path).transact(
    () => createState(0),
    (state) => (state.serial += 1),
  );
  await expect(change).rejects.toMatchObject({ exit: 14, message: `the local service's state is damaged: ${path}` });
  expect(readFileSync(path, 'utf8')).toBe(old);
});
