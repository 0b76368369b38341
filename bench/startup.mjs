/**
 * `npm run bench`: start-up times as ratios to the start of Node (`node -e 0`) in one interleaved run, the memory used, and the
 * time to load each package; then batches, the stores of their books, and workers of the local service.
 */
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, root } from '../scripts/prepare.mjs';
import { benchBatch } from './batch.mjs';
import { importCosts } from './imports.mjs';
import { environment, interleaved, median, printTable } from './measure.mjs';
import { benchStores } from './stores.mjs';
import { benchWorkers } from './workers.mjs';

const ROUNDS = 41;
const MEMORY_ROUNDS = 7;
const IMPORT_ROUNDS = 7;
const MEMORY_TARGET_MIB = 60;

const berth = path.join(root, 'bin/berth');
const memory = fileURLToPath(new URL('memory.cjs', import.meta.url));

const CASES = [
  { name: 'node -e 0', args: ['-e', '0'] },
  { name: 'berth --version', args: [berth, '--version'], target: 1.2 },
  { name: 'berth --help', args: [berth, '--help'], target: 1.5 },
  { name: 'berth pods get ID', args: [berth, 'pods', 'get', 'sample'], target: 2.2 },
  { name: 'berth --local pods list', args: [berth, '--local', 'pods', 'list'], target: 2.5 },
];

const verdict = (value, target) => (target === undefined ? '' : value <= target ? 'met' : 'NOT MET');

async function startService() {
  const child = fork(fileURLToPath(new URL('server.mjs', import.meta.url)));
  const url = await new Promise((resolve, reject) => child.once('message', resolve).once('error', reject));
  return { url, stop: () => child.disconnect() };
}

async function benchStartup(env) {
  const commands = CASES.map(({ args }) => args);
  const times = await interleaved(commands, ROUNDS, env, ({ milliseconds }) => milliseconds);
  const watched = commands.map((args) => ['--require', memory, ...args]);
  const peaks = await interleaved(watched, MEMORY_ROUNDS, env, ({ report }) => Number(report));
  const base = median(times[0]);
  const rows = CASES.map(({ name, target }, index) => {
    const ratio = median(times[index]) / base;
    const mebibytes = median(peaks[index]);
    return [
      name,
      median(times[index]).toFixed(1),
      ratio.toFixed(2),
      target?.toFixed(1) ?? '',
      verdict(ratio, target),
      mebibytes.toFixed(1),
      target === undefined ? '' : String(MEMORY_TARGET_MIB),
      verdict(mebibytes, target && MEMORY_TARGET_MIB),
    ];
  });
  const title = `Start to end of the whole process, medians of ${ROUNDS} in turn, Node ${process.versions.node}`;
  printTable(title, ['', 'ms', 'ratio', 'target', '', 'MiB', 'target', ''], rows);
  return base;
}

async function benchImports(env, base) {
  const rows = (await importCosts(IMPORT_ROUNDS, env)).map(({ name, milliseconds }) => [
    name,
    milliseconds.toFixed(1),
    `${((100 * milliseconds) / base).toFixed(0)} %`,
  ]);
  const title = 'Loading one package, bundled alone and without a code cache, and its share of `node -e 0`';
  printTable(title, ['', 'ms', 'share'], rows);
}

await build();
const home = await mkdtemp(path.join(tmpdir(), 'berth-bench-'));
const service = await startService();
const env = environment({
  BERTH_BASE_URL: service.url,
  BERTH_QUEUE_URL: service.url,
  BERTH_API_KEY: 'bench',
  BERTH_CONFIG_DIR: path.join(home, 'config'),
  BERTH_DATA_DIR: path.join(home, 'data'),
});
try {
  await benchImports(env, await benchStartup(env));
  await benchBatch(berth, home, env);
  await benchStores(berth, home, env);
  await benchWorkers(home);
} finally {
  service.stop();
  await rm(home, { recursive: true, force: true });
}
