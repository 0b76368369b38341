import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';

/**
 * A directory of one test's own, to be made inside it or in a beforeEach. Gone when the test is over. It is named after
 * the test's file, so that one that stays can be traced.
 */
export function temporaryDirectory(): string {
  const file = basename(expect.getState().testPath ?? 'test', '.test.ts');
  const directory = mkdtempSync(join(tmpdir(), `berth-${file}-`));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}
