// Copies files and folders in both directions through a proxy that resets, cuts, stalls and refuses requests, while the program
// is killed and disks are full, and runs each copy again until it ends 0. Then every byte must be the same, with no other file
// and no unfinished upload: `npm run files-trials`, 200 rounds. Needs `npm run build` first, and curl.
// `-- --seed S --round N` repeats a round, `--rounds N` makes so many, `--target local,moto,versitygw` names the services
// (versitygw: the program VERSITYGW, moto: with the Python STORAGE_PYTHON), `--short` leaves out the files of 3 GiB and makes small trees, `--program PATH` names another berth.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom, roundSeed } from '../chaos/random.mjs';
import { runRound } from './round.mjs';
import { startService, startTarget } from './targets.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    rounds: { type: 'string', default: '200' },
    round: { type: 'string' },
    target: { type: 'string', default: 'local,moto,versitygw' },
    short: { type: 'boolean', default: false },
    program: { type: 'string' },
  },
});

/** Of so many rounds with the local service, one has a file of 3 GiB. */
const ROUNDS_OF_LARGE = 20;

const command =
  values.program === undefined
    ? [process.execPath, path.join(import.meta.dirname, '../../bin/berth')]
    : [path.resolve(values.program)];
const seed = Number(values.seed);
const folder = await mkdtemp(path.join(tmpdir(), 'berth-files-trials-'));
const env = {
  ...process.env,
  BERTH_CONFIG_DIR: path.join(folder, 'config'),
  BERTH_DATA_DIR: path.join(folder, 'data'),
};
Object.assign(process.env, env);
const disk = await smallDisk();
const service = await startService(command, folder, env);
const first = values.round === undefined ? 1 : Number(values.round);
const last = values.round === undefined ? Number(values.rounds) : first;
const targets = [];
const failed = [];

try {
  for (const kind of values.target.split(',')) {
    const target = await startTarget(kind, service, folder);
    if (target !== undefined) targets.push({ kind, ...target });
  }
  if (targets.length === 0) throw new Error(`none of ${values.target} can be had here`);
  console.log(`seed ${seed}, ${last - first + 1} rounds, with ${targets.map(({ kind }) => kind).join(', ')}`);
  for (let round = first; round <= last; round += 1) {
    const random = createRandom(roundSeed(seed, round));
    const target = targets[round % targets.length];
    const ofTarget = Math.floor(round / targets.length);
    const isLarge = !values.short && target.kind === 'local' && ofTarget % ROUNDS_OF_LARGE === 1;
    const startedAt = performance.now();
    const { wrong, said } = await runRound({
      command,
      folder,
      service,
      target,
      random,
      isLarge,
      isShort: values.short,
      disk,
    });
    console.log(
      `round ${round} (${target.kind}): ${wrong.length === 0 ? 'ok' : 'WRONG'}, ${said}, ${Math.round((performance.now() - startedAt) / 1000)} s`,
    );
    for (const line of wrong) console.log(`  ${line}`);
    if (wrong.length > 0) failed.push(round);
  }
} finally {
  for (const target of targets) target.stop();
  service.stop();
  if (disk !== undefined) execFileSync('umount', [disk]);
  await rm(folder, { recursive: true, force: true });
}
console.log(
  failed.length === 0 ? 'all rounds are ok' : `wrong: ${failed.join(', ')}; repeat one: --seed ${seed} --round N`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

/** A file system of its own, whose size can be changed; undefined, with a note, where that is not allowed. */
async function smallDisk() {
  const at = path.join(folder, 'disk');
  await mkdir(at);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', at], { stdio: 'pipe' });
    return at;
  } catch {
    console.log('note: no disks are full in these trials: a file system cannot be mounted here');
    return undefined;
  }
}
