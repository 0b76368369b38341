import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives a run of tests a temporary directory of its own, and fails at its end where a test has left something in it.
 * What was left is removed all the same.
 */
export function setup(): () => void {
  const before = process.env['TMPDIR'];
  // A short name: paths of sockets have about a hundred bytes.
  const root = mkdtempSync(join(tmpdir(), 'berth-'));
  // Some tests run a program as another user, who has to get through.
  chmodSync(root, 0o711);
  process.env['TMPDIR'] = root;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    const left = readdirSync(root);
    rmSync(root, { recursive: true, force: true });
    if (left.length === 0) return;
    console.error(`FAILED: tests left files in the temporary directory: ${left.join(', ')}`);
    // The runner only prints what a teardown throws.
    process.exitCode = 1;
  };
}
