import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives a test run its own temporary directory. At the end, the run fails if a test has left a file in it.
 * Such files are removed too.
 */
export function setup(): () => void {
  const before = process.env['TMPDIR'];
  // The name is short, because paths of sockets have about a hundred bytes at most.
  const root = mkdtempSync(join(tmpdir(), 'berth-'));
  // Some tests run a program as another user, who must be able to enter the directory.
  chmodSync(root, 0o711);
  process.env['TMPDIR'] = root;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    const left = readdirSync(root);
    rmSync(root, { recursive: true, force: true });
    if (left.length === 0) return;
    console.error(`FAILED: tests left files in the temporary directory: ${left.join(', ')}`);
    // The runner prints an error that a teardown throws, but does not fail.
    process.exitCode = 1;
  };
}
