/**
 * `npm run quickstart`: from a fresh clone to running jobs, on the local service only. Prints every command before its output.
 * Does not touch your configuration, leaves nothing running, and stops at the first step with an unexpected exit code.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, install, root } from './prepare.mjs';
import { TOUR } from './quickstart-tour.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'berth-quickstart-'));
// Without the variables that lead berth to the accounts and files of the user.
const own = Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_'));
const env = { ...Object.fromEntries(own), BERTH_CONFIG_DIR: `${folder}/config`, BERTH_DATA_DIR: `${folder}/data` };

function run({ words, code }) {
  console.log(`$ berth --local ${words.map((word) => (/[{"]/.test(word) ? `'${word}'` : word)).join(' ')}`);
  // The command inherits the terminal, for its colour.
  const ended = spawnSync(process.execPath, [path.join(root, 'bin/berth'), '--local', ...words], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (ended.status !== code)
    throw new Error(`the command above ended ${ended.status ?? ended.signal}; ${code} was to be expected`);
}

try {
  await install();
  await build();
  for (const { title, commands } of TOUR) {
    console.log(`\n# ${title}`);
    commands.forEach(run);
  }
  console.log('\nAll steps succeeded. Your configuration was not changed, and nothing is left running.');
} catch (error) {
  console.error(`\nquickstart: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
