import { describe, test } from 'vitest';
import { isTrial, jobCount, serveBatch, timeFor } from './batch.ts';
import { importLibrary, installLibrary, libraryFlags, readLibrary } from './library.ts';
import { KILLED_HANDLER, serveWhileKilled } from './kill-workers.ts';
import { libraryWorker, SHAPES } from './shapes.ts';
import { folderWith } from './support.ts';

const library = readLibrary();

if (library === undefined) {
  describe.skip('the public worker library: no file names one', () => {
    test('nothing to test');
  });
} else {
  describe('the public worker library', () => {
    const python = installLibrary(library);

    test.for(SHAPES.map((shape) => [shape.name, shape] as const))(
      'serves a batch: %s',
      { timeout: timeFor(180_000) },
      async ([, shape], { skip }) => {
        if (python() === '') skip('the worker library is not installed');
        const folder = await folderWith({ 'worker.py': libraryWorker(shape, library) });
        await serveBatch(folder, shape, jobCount(5), libraryFlags(python(), library));
      },
    );

    // Its workers take seconds to start again: only in the long form. kill.test.ts always runs.
    test.skipIf(!isTrial)(
      'workers that are killed: every job ends, and `retried` equals the kills that hit a job',
      { timeout: timeFor(180_000) },
      async ({ skip }) => {
        if (python() === '') skip('the worker library is not installed');
        const source = `${KILLED_HANDLER}\n${importLibrary(library)}worker.start({"handler": handler})\n`;
        await serveWhileKilled(source, 15, libraryFlags(python(), library));
      },
    );
  });
}
