/** Measures the time to load each package, alone and bundled as in the program. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { bundling } from '../scripts/bundling.mjs';
import { interleaved, median } from './measure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const loader = fileURLToPath(new URL('import-time.cjs', import.meta.url));

const PACKAGES = [
  'commander',
  'undici/lib/dispatcher/client.js',
  'undici',
  'conf',
  '@inquirer/prompts',
  'ora',
  'chalk',
  'cli-table3',
  'string-width',
  'yaml',
  'csv-stringify/sync',
  'lossless-json',
  'structured-headers',
  'eventsource-parser',
  'write-file-atomic',
  'jq-wasm/inline',
  'ajv/dist/2020.js',
];

/** Returns milliseconds by package, the slowest first. */
export async function importCosts(rounds, env) {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-bench-'));
  try {
    const files = await Promise.all(
      PACKAGES.map(async (name, index) => {
        const outfile = path.join(folder, `${index}.cjs`);
        const contents = `export * as whole from '${name}'`;
        await esbuild.build({ ...bundling(root), stdin: { contents, resolveDir: root }, format: 'cjs', outfile });
        return outfile;
      }),
    );
    const commands = files.map((file) => ({ args: [loader, file], env, reports: true }));
    const times = await interleaved(commands, rounds, ({ report }) => Number(report));
    return PACKAGES.map((name, index) => ({ name, milliseconds: median(times[index]) })).sort(
      (a, b) => b.milliseconds - a.milliseconds,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
