/**
 * `npm run quickstart`: from a fresh clone to running jobs, on the local service only. Prints every command before its output.
 * Does not touch your configuration, leaves nothing running, and stops at the first step with an unexpected exit code.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, install, root } from './prepare.mjs';
import { tour, Unexpected } from './quickstart-tour.mjs';

const plain = /^[\w./:=,@-]+$/;
const shown = (word) => (plain.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);

/** Prints and runs `berth --local ...`. Throws Unexpected when the exit code is not `code`. */
function runner(env) {
  const run = (words, code, output) => {
    const args = ['--local', ...words];
    console.log(`$ berth ${args.map(shown).join(' ')}`);
    const child = spawn(process.execPath, [path.join(root, 'bin/berth'), ...args], {
      env,
      stdio: ['ignore', output, 'inherit'],
    });
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (data) => {
      text += data;
      process.stdout.write(data);
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject).on('close', (ended, signal) => {
        if (ended === code) resolve(text);
        else reject(new Unexpected(`the command above ended ${ended ?? signal}; ${code} was to be expected`));
      });
    });
  };
  // The commands inherit the terminal, so that tables have borders and colour.
  return { berth: (words, code = 0) => run(words, code, 'inherit'), read: (words) => run(words, 0, 'pipe') };
}

/** Returns the environment without the variables that lead berth to the accounts and files of the user. */
function environmentIn(folder) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_'));
  return {
    ...Object.fromEntries(own),
    BERTH_CONFIG_DIR: path.join(folder, 'config'),
    BERTH_DATA_DIR: path.join(folder, 'data'),
  };
}

const folder = await mkdtemp(path.join(tmpdir(), 'berth-quickstart-'));
try {
  await install();
  await build();
  await tour(runner(environmentIn(folder)), (text) => console.log(`\n# ${text}`));
  console.log('\nAll steps succeeded. Your configuration was not changed, and nothing is left running.');
} catch (error) {
  console.error(`\nquickstart: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
