import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findPython } from '../support/python/find-python.ts';
import { PARQUET } from '../support/python/install-packages.mjs';
import { berthPath, cleanEnvironment, runProgram, temporaryFolder, type Environment } from './support.ts';

/** Rows of the file: few in the normal tests, a million with `npm run parquet-trials`. */
const isTrial = process.env['PARQUET_TRIALS'] !== undefined;
const ROWS = Number(process.env['PARQUET_TRIALS'] ?? 3000);
const { PARQUET_PYTHON: GIVEN } = process.env;
const PYTHON = GIVEN === undefined ? await findPython(PARQUET) : path.resolve(GIVEN);
const TRIALS = path.join(import.meta.dirname, '../trials');
const WITHOUT = PYTHON === undefined ? ' (skipped: this needs a Python with duckdb, see PARQUET_PYTHON)' : '';

async function startQueue(): Promise<string> {
  const child = fork(path.join(TRIALS, 'echo-queue.mjs'));
  onTestFinished(() => {
    child.disconnect();
  });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return url;
}

/** Runs a program and returns what it printed. Prints in a trial how long it took, so that a long one shows where it is. */
async function step(
  name: string,
  program: string,
  args: readonly string[],
  options: { readonly env: Environment; readonly cwd: string },
): Promise<string> {
  const started = performance.now();
  const { code, stdout, stderr } = await runProgram(program, args, options);
  if (isTrial) console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout, stderr });
  return stdout;
}

describe.skipIf(PYTHON === undefined)(`a Parquet file that another program wrote and reads again${WITHOUT}`, () => {
  test(
    `has the same ${String(ROWS)} rows after it went through a batch`,
    async () => {
      const folder = await temporaryFolder();
      const url = await startQueue();
      const env = await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_API_KEY: 'trial' });
      const options = { env, cwd: folder };
      const batch = (name: string, ...args: readonly string[]) =>
        step(name, berthPath(), ['jobs', 'batch', ...args], options);
      const python = (name: string, ...args: readonly string[]) =>
        step(name, PYTHON ?? '', [path.join(TRIALS, 'parquet-rows.py'), name, ...args, String(ROWS)], options);
      await python('make', 'in.parquet');
      const files = ['--input', 'in.parquet', '--out', 'r.jsonl'];
      await batch('run', 'run', 'trial', ...files, '--rate', '1000000', '--concurrency', '32');
      const to = (name: string): readonly string[] => ['r.jsonl', '--format', 'parquet', '--out', name];
      await batch('export', 'export', ...to('out.parquet'), '--join-input');
      const names = ['n', 'large', 'prompt', 'flag', 'score', 'price', 'moment', 'day', 'data', 'list', 'part'];
      const fields = ['item', ...names.map((name) => `output.${name}`)].join(',');
      await batch('flat export', 'export', ...to('flat.parquet'), '--fields', fields);
      const said = await python('compare', 'in.parquet', 'out.parquet', 'flat.parquet');
      expect(said).toContain('differences: none');
      if (isTrial) console.log(said);
    },
    // Five programs one after the other. A machine with other work runs each ten times slower, and sends 50 items a second.
    300_000 + ROWS * 20,
  );
});
