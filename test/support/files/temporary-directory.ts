import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';

/**
 * Creates a directory for one test. To be called in the test or in a beforeEach. It is removed when the test ends. Its
 * name contains the name of the test file, so that a directory that was left over can be traced.
 */
export function temporaryDirectory(): string {
  const file = basename(expect.getState().testPath ?? 'test', '.test.ts');
  const directory = mkdtempSync(join(tmpdir(), `berth-${file}-`));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}
