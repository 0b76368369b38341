// Runs the tests of Python workers in test/e2e/workers with 500 jobs each, or BERTH_WORKER_TRIALS of them. Takes some minutes. Needs `npm run build` first.
import { spawnSync } from 'node:child_process';

const args = [
  'vitest',
  'run',
  '--config',
  'vitest.e2e.config.ts',
  'test/e2e/workers',
  '--reporter=verbose',
  '--testTimeout=1800000',
];
const { status } = spawnSync('npx', [...args, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, BERTH_WORKER_TRIALS: process.env.BERTH_WORKER_TRIALS ?? '500' },
});
process.exitCode = status ?? 1;
