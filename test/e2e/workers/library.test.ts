import { test } from 'vitest';
import { serveBatches } from './batch.ts';
import { installLibrary, libraryFlags, readLibrary } from './library.ts';
import { filesOf, libraryWorker } from './shapes.ts';
import { folderWith } from './support.ts';

const library = readLibrary();
const installed = library === undefined ? (): string => '' : installLibrary(library);

test('the public worker library serves a batch with handlers of every shape', async ({ skip }) => {
  if (library === undefined) return skip('no file names a worker library, or workers cannot be tested here');
  const python = installed();
  if (python === '') return skip('the worker library is not installed');
  const folder = await folderWith(filesOf((shape) => libraryWorker(shape, library)));
  await serveBatches(folder, 5, libraryFlags(python, library));
});
