/**
 * `npm run quickstart`: runs the ten tasks of the README on the local service, from a fresh clone. Prints each line before its output.
 * Does not touch your configuration, leaves nothing running, and stops at the first command that fails.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, install, root } from './prepare.mjs';

const [, tasks] = /^## Ten tasks$[^]*?^```sh\n([^]*?)^```$/m.exec(readFileSync(path.join(root, 'README.md'), 'utf8'));
const folder = mkdtempSync(path.join(tmpdir(), 'berth-quickstart-'));
// Without the variables that lead berth to the accounts and files of the user.
const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_')));
const PATH = [path.join(folder, 'bin'), path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
const env = { ...own, PATH, BERTH_CONFIG_DIR: `${folder}/config`, BERTH_DATA_DIR: `${folder}/data` };

try {
  install();
  build();
  mkdirSync(path.join(folder, 'bin'));
  symlinkSync(path.join(root, 'bin/berth'), path.join(folder, 'bin/berth'));
  writeFileSync(path.join(folder, 'tasks.sh'), tasks);
  const { status } = spawnSync('sh', ['-ev', 'tasks.sh'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  console.log(status === 0 ? '\nYour configuration is unchanged, and nothing is left running.' : '\nIt stopped there.');
  process.exitCode = status ?? 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = error.status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
