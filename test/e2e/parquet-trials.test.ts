import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { berthPath, cleanEnvironment, runProgram, temporaryFolder } from './support.ts';

/** Rows of the file: few in the normal tests, a million with `npm run parquet-trials`. */
const ROWS = Number(process.env['PARQUET_TRIALS'] ?? 3000);
/** A Python with the package duckdb. */
const PYTHON = process.env['PARQUET_PYTHON'] ?? 'python3';
const TRIALS = path.join(import.meta.dirname, '../trials');

const hasDuckdb = spawnSync(PYTHON, ['-c', 'import duckdb'], { timeout: 30_000 }).status === 0;
const WITHOUT = hasDuckdb ? '' : ' (skipped: this needs a Python with duckdb, see PARQUET_PYTHON)';

async function startQueue(): Promise<string> {
  const child = fork(path.join(TRIALS, 'echo-queue.mjs'));
  onTestFinished(() => {
    child.disconnect();
  });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return url;
}

const python = (...args: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync(PYTHON, [path.join(TRIALS, 'parquet-rows.py'), ...args]);
  expect([status, stdout.toString(), stderr.toString()]).toEqual([0, stdout.toString(), '']);
  return stdout.toString();
};

describe.skipIf(!hasDuckdb)(`a Parquet file that another program wrote and reads again${WITHOUT}`, () => {
  test(
    `has the same ${String(ROWS)} rows after it went through a batch`,
    async () => {
      const folder = await temporaryFolder();
      const url = await startQueue();
      const env = await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_API_KEY: 'trial' });
      const times: Record<string, string> = {};
      const berth = async (name: string, ...args: readonly string[]): Promise<void> => {
        const started = performance.now();
        const ended = await runProgram(berthPath(), args, { env, cwd: folder });
        expect([ended.code, ended.stderr]).toEqual([0, ended.stderr]);
        times[name] = `${((performance.now() - started) / 1000).toFixed(1)} s`;
      };
      python('make', path.join(folder, 'in.parquet'), String(ROWS));
      const files = ['--input', 'in.parquet', '--out', 'r.jsonl'];
      await berth('run', 'jobs', 'batch', 'run', 'trial', ...files, '--rate', '1000000', '--concurrency', '32');
      const to = (name: string): readonly string[] => ['r.jsonl', '--format', 'parquet', '--out', name];
      await berth('export', 'jobs', 'batch', 'export', ...to('out.parquet'), '--join-input');
      const names = ['n', 'large', 'prompt', 'flag', 'score', 'price', 'moment', 'day', 'data', 'list', 'part'];
      const fields = ['item', ...names.map((name) => `output.${name}`)].join(',');
      await berth('flat export', 'jobs', 'batch', 'export', ...to('flat.parquet'), '--fields', fields);
      const said = python(
        'compare',
        ...['in.parquet', 'out.parquet', 'flat.parquet'].map((name) => path.join(folder, name)),
        String(ROWS),
      );
      expect(said).toContain('differences: none');
      if (process.env['PARQUET_TRIALS'] !== undefined) console.log(said, times);
    },
    // A busy machine sends a few hundred items a second.
    Math.max(60_000, ROWS * 4),
  );
});
