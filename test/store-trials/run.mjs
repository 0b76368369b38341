/**
 * `npm run store-trials`: one batch in PostgreSQL with several drivers, which are killed, stopped for longer than their leases
 * and cut from the database, while PostgreSQL is restarted and killed. After every event the identity of the books must hold;
 * at the end the service must have accepted every item once, except those that are listed as unknown. The folder of a trial with
 * findings is kept.
 *
 *   npm run store-trials -- --seed 1 --items 200000    the seed of the events and the length of the batch
 *   npm run store-trials -- --objects                  parts go to an object store that fails
 *   npm run store-trials -- --short                    a trial of some seconds, as in CI
 *   npm run store-trials -- --pace                     two batches share the limit of one endpoint
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, install } from '../../scripts/prepare.mjs';
import { unpackProgram } from '../chaos/program.mjs';
import { createCluster, findPostgres } from '../support/postgres/cluster.mjs';
import { startObjectStore } from './object-store.mjs';
import { runPaceTrial } from './pace-trial.mjs';
import { runTrial } from './trial.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FULL = {
  items: 200_000,
  shard: 5000,
  lease: 5000,
  rate: 1500,
  kill: 100,
  stop: 20,
  cut: 20,
  restart: 5,
  crash: 2,
  bound: 3600,
};
const SHORT = {
  items: 3000,
  shard: 200,
  lease: 2000,
  rate: 400,
  kill: 6,
  stop: 2,
  cut: 2,
  restart: 1,
  crash: 1,
  bound: 300,
};
const NUMBERS = Object.keys(FULL);

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    drivers: { type: 'string', default: '4' },
    short: { type: 'boolean', default: false },
    objects: { type: 'boolean', default: false },
    pace: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '30' },
    // The words that start berth, each with a flag of its own: without them the project is built and packed.
    program: { type: 'string', multiple: true },
    quiet: { type: 'boolean', default: false },
    ...Object.fromEntries(NUMBERS.map((name) => [name, { type: 'string' }])),
  },
});
const defaults = values.short ? SHORT : FULL;
const number = (name) => Number(values[name] ?? defaults[name]);
const seed = Number(values.seed);
const counts = Object.fromEntries(['kill', 'stop', 'cut', 'restart', 'crash'].map((kind) => [kind, number(kind)]));

if (findPostgres() === undefined) {
  console.log('note: PostgreSQL 15 or newer is not installed: no trial');
  process.exit(0);
}
const folder = await mkdtemp(path.join(tmpdir(), 'berth-store-trials-'));
let { program } = values;
if (program === undefined) {
  await install();
  await build();
  program = [process.execPath, path.join(await unpackProgram(root, path.join(folder, 'program')), 'bin/berth')];
}
const again = `--seed ${seed} --items ${number('items')}${values.short ? ' --short' : ''}${values.objects ? ' --objects' : ''}`;
console.log(`note: store trial ${again}`);

const lines = [];
const began = performance.now();
const log = (line) => {
  const text = `${((performance.now() - began) / 1000).toFixed(1)} s  ${line}`;
  lines.push(text);
  if (!values.quiet) console.log(text);
};
const cluster = await createCluster();
const world = {
  folder: path.join(folder, 'trial'),
  cluster,
  program,
  log,
};
let objects;
let outcome;
try {
  objects = values.objects ? await startObjectStore(seed) : undefined;
  const run = values.pace ? runPaceTrial : runTrial;
  outcome = await run({
    ...world,
    seconds: Number(values.seconds),
    options: {
      seed,
      items: number('items'),
      shardItems: number('shard'),
      drivers: Number(values.drivers),
      leaseMs: number('lease'),
      rate: number('rate'),
      boundMs: number('bound') * 1000,
      counts,
      objects,
    },
  });
} finally {
  await objects?.stop();
  if (outcome?.findings.length > 0) await writeFile(path.join(folder, 'postgresql.log'), cluster.log());
  await cluster.remove();
}

const listed = (sums) =>
  Object.entries(sums)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';
const summary = () => [
  `seed ${seed}: ${number('items')} items, ${values.drivers} drivers, ${outcome.starts} processes, ${Math.round(outcome.seconds)} s`,
  `events: ${listed(outcome.events)}; not applied ${outcome.notApplied}, left ${outcome.left ?? 0}`,
  ...(objects === undefined ? [] : [`faults of the object store: ${listed(objects.faults())}`]),
  `ends of processes: ${listed(outcome.ends)}`,
  `submissions ${outcome.submissions}, unknown ${outcome.unknown}, parts ${outcome.parts}, identity checked ${outcome.identities} times`,
];
console.log(
  [
    ...(values.pace ? [] : summary()),
    `findings: ${outcome.findings.length}`,
    ...outcome.findings.map(({ kind, detail }) => `FOUND ${kind}: ${String(detail).slice(0, 1500)}`),
  ].join('\n'),
);
if (outcome.findings.length > 0) {
  await writeFile(path.join(folder, 'log'), lines.join('\n'));
  console.log(`kept in ${folder}; again with: npm run store-trials -- ${again}`);
  process.exitCode = 1;
} else await rm(folder, { recursive: true, force: true });
// A connection of a driver that was killed may still be open at a proxy, and would keep this process running.
process.exit();
