// Sends a Parquet file of a million rows, or as many as the argument says, through a batch and compares its exports with DuckDB. Takes some
// minutes. Needs `npm run build` first, and a Python with the package duckdb: PARQUET_PYTHON=venv/bin/python.
import { spawnSync } from 'node:child_process';

const args = [
  'vitest',
  'run',
  '--config',
  'vitest.e2e.config.ts',
  'test/e2e/parquet-trials.test.ts',
  '--reporter=verbose',
];
const { status } = spawnSync('npx', args, {
  stdio: 'inherit',
  env: { ...process.env, PARQUET_TRIALS: process.argv[2] ?? '1000000' },
});
process.exitCode = status ?? 1;
