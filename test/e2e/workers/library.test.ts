import { describe, test } from 'vitest';
import { serveBatch } from './batch.ts';
import { installLibrary, libraryFlags, readLibrary, type Library } from './library.ts';
import { libraryWorker, SHAPES } from './shapes.ts';
import { folderWith } from './support.ts';

const library = readLibrary();

describe('the public worker library', () => {
  const installed = library === undefined ? (): string => '' : installLibrary(library);

  /** The library and the Python that has it. Skips the test where no file names a library, or it is not installed. */
  const useLibrary = (skip: (note: string) => never): { library: Library; python: string } => {
    if (library === undefined) return skip('no file names a worker library, or workers cannot be tested here');
    const python = installed();
    return python === '' ? skip('the worker library is not installed') : { library, python };
  };

  test.for(SHAPES.map((shape) => [shape.name, shape] as const))('serves a batch: %s', async ([, shape], { skip }) => {
    const used = useLibrary(skip);
    const folder = await folderWith({ 'worker.py': libraryWorker(shape, used.library) });
    await serveBatch(folder, shape, 5, libraryFlags(used.python, used.library));
  });
});
