// Runs the lock trials of test/faults/lock-trials.test.ts with 40 starts per trial. Takes some minutes.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync('npx', ['vitest', 'run', 'test/faults/lock-trials.test.ts', '--reporter=verbose'], {
  stdio: 'inherit',
  env: { ...process.env, LOCK_TRIALS: process.argv[2] ?? '40' },
});
process.exitCode = status ?? 1;
