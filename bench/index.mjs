/** `npm run bench`: runs every part, or those that are named: `npm run bench -- start lists`. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, root } from '../scripts/prepare.mjs';
import { benchBatch } from './batch.mjs';
import { benchFiles } from './files.mjs';
import { benchListCosts } from './list-costs.mjs';
import { benchLocal } from './local-status.mjs';
import { environment } from './measure.mjs';
import { benchStart } from './start.mjs';

/** Each part takes the path of the launcher, a folder for its files, and the environment of the measured programs. */
const PARTS = {
  start: benchStart,
  lists: benchListCosts,
  local: benchLocal,
  batch: benchBatch,
  files: benchFiles,
};

const named = process.argv.slice(2);
const unknown = named.filter((part) => !Object.hasOwn(PARTS, part));
if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}: there are ${Object.keys(PARTS).join(', ')}`);

build();
const folder = await mkdtemp(path.join(tmpdir(), 'berth-bench-'));
try {
  for (const part of named.length > 0 ? named : Object.keys(PARTS)) {
    const home = path.join(folder, part);
    await mkdir(home);
    const env = environment({
      BERTH_CONFIG_DIR: path.join(home, 'config'),
      BERTH_DATA_DIR: path.join(home, 'data'),
      XDG_CACHE_HOME: path.join(home, 'cache'),
    });
    await PARTS[part]({ berth: path.join(root, 'bin/berth'), home, env });
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
