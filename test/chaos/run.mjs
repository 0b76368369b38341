/**
 * `npm run chaos`: batches over a served local service, with kills, signals, faults, clock jumps, edits of their files
 * and upgrades of the program while they run. Every item must be accounted for, none may be sent twice, and each exit
 * code must have a cause. The folder of a round with findings is kept.
 *
 *   npm run chaos -- --rounds 200 --seed 1    the number of rounds and their seed
 *   npm run chaos -- --seed 1 --round 17      repeats one round
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, install } from '../../scripts/prepare.mjs';
import { drawPlan } from './plan.mjs';
import { MAX_RUN_MS } from './processes.mjs';
import { createInstall, unpackProgram } from './program.mjs';
import { createReport } from './report.mjs';
import { runRound } from './round.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Rounds between two lines of progress. */
const PROGRESS_ROUNDS = 20;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    round: { type: 'string' },
    lanes: { type: 'string', default: '2' },
    bound: { type: 'string', default: String(MAX_RUN_MS / 1000) },
    // The folder of a package; that of the sources is built and unpacked by default.
    program: { type: 'string' },
  },
});
const [rounds, seed, lanes] = [values.rounds, values.seed, values.lanes].map(Number);
const boundMs = Number(values.bound) * 1000;
const waiting = values.round === undefined ? Array.from({ length: rounds }, (_, at) => at + 1) : [Number(values.round)];

if (values.program === undefined) {
  install();
  build();
}
const folder = await mkdtemp(path.join(tmpdir(), 'berth-chaos-'));
console.log(`seed ${seed}, ${waiting.length} rounds; again with: npm run chaos -- --seed ${seed} --rounds ${rounds}`);
const began = performance.now();
const report = createReport(seed);
const seconds = () => (performance.now() - began) / 1000;
const program = values.program ?? (await unpackProgram(root, path.join(folder, 'program')));
let done = 0;

async function lane(number) {
  const place = path.join(folder, `lane-${number}`);
  const upgraded = await createInstall(program, place);
  for (let round = waiting.shift(); round !== undefined; round = waiting.shift()) {
    const own = path.join(folder, `round-${round}`);
    const outcome = await runRound(drawPlan(seed, round), {
      folder: own,
      program: [process.execPath, path.join(program, 'bin/berth')],
      install: upgraded,
      boundMs,
    });
    for (const line of report.add(outcome)) console.log(line);
    if (outcome.findings.length === 0 && values.round === undefined) await rm(own, { recursive: true, force: true });
    done += 1;
    if (done % PROGRESS_ROUNDS === 0) console.log(`${done} rounds, ${Math.round(seconds())} s`);
  }
  await rm(place, { recursive: true, force: true });
}

await Promise.all(Array.from({ length: lanes }, (_, at) => lane(at + 1)));
console.log(report.text(seconds()));
await rm(path.join(folder, 'program'), { recursive: true, force: true });
if (report.hasFindings()) process.exitCode = 1;
else if (values.round === undefined) await rm(folder, { recursive: true, force: true });
