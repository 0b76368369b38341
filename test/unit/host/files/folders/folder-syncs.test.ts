import { expect, test } from 'vitest';
import { createFolderSyncs } from '../../../../../src/host/files/folders.ts';

/** Syncs that end when the test says so, with the folders for which one began. */
function start() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const sync = createFolderSyncs((folder) => {
    begun.push(folder);
    return new Promise((resolve) => ends.push(resolve));
  });
  return { begun, ends, sync };
}

test('what waits for the same folder shares one sync, which begins after the one that runs', async () => {
  const { begun, ends, sync } = start();
  const first = sync('/a');
  await Promise.resolve();
  await Promise.resolve();
  expect(begun).toEqual(['/a']);
  const later = [sync('/a'), sync('/a'), sync('/a')];
  ends[0]?.();
  await first;
  await new Promise(setImmediate);
  expect(begun).toEqual(['/a', '/a']);
  ends[1]?.();
  await Promise.all(later);
  expect(begun).toEqual(['/a', '/a']);
});

test('each folder has its own sync', async () => {
  const { begun, ends, sync } = start();
  const both = [sync('/a'), sync('/b')];
  await new Promise(setImmediate);
  expect(begun).toEqual(['/a', '/b']);
  for (const end of ends) end();
  await Promise.all(both);
});
