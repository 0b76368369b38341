// Sends a Parquet file of a million rows, or of as many as the argument says, through a batch and compares its exports with
// DuckDB: `npm run parquet-trials -- 3000`. A million rows take ten minutes, and several times as long on a machine with other work;
// each step prints its duration when it ends. Needs `npm run build` first, and a Python with the package duckdb, which is
// installed in an environment of its own where that is possible. Another one: PARQUET_PYTHON=venv/bin/python.
import { spawnSync } from 'node:child_process';

const rows = process.argv[2] ?? '1000000';
if (!/^[1-9]\d*$/.test(rows)) {
  console.error(`${rows} is not a number of rows`);
  process.exit(2);
}

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
  env: { ...process.env, PARQUET_TRIALS: rows },
});
process.exitCode = status ?? 1;
