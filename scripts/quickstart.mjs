/**
 * `npm run quickstart`: from a fresh clone to jobs that run, on the local service alone. Every command is printed
 * before what it prints. Your own configuration is not touched, nothing is left running, and the first step that does
 * not end as it should ends the whole.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, install, root } from './prepare.mjs';

class Unexpected extends Error {}

const plain = /^[\w./:=,@-]+$/;
const shown = (word) => (plain.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);

/** The steps, in order; `berth` runs one command, `read` runs one and gives what it wrote to standard output. */
async function tour({ berth, read }, say) {
  say('A network volume, to keep data on');
  await berth(['volumes', 'create', '--name', 'datasets', '--size', '100', '--data-center', 'EU-NORTH-1']);

  say('The pods of the account, and one that is running, with what it is doing right now');
  await berth(['pods', 'list']);
  await berth(['pods', 'get', 'pod-train']);

  say('A job, and its result: numbers come back exactly as they were sent');
  await berth(['jobs', 'run', 'demo', '--input', '{"n":9007199254740993}', '--wait']);

  say('A job that answers piece by piece');
  await berth(['jobs', 'run', 'stream', '--input', '{"chunks":3}', '--stream']);

  say('A job that fails (exit code 10 says so), and another try');
  const failed = (await read(['jobs', 'run', 'fail', '--input', '{}'])).trim();
  await berth(['jobs', 'wait', 'fail', failed], 10);
  await berth(['jobs', 'retry', 'fail', failed]);

  say('More jobs than workers: the rest wait, and are purged');
  for (let job = 1; job <= 5; job++) await berth(['jobs', 'run', 'sleep', '--input', '{"seconds":60}']);
  await berth(['queue', 'purge', 'sleep', '--yes']);

  say("The endpoint's health");
  await berth(['health', 'sleep']);
}

/** Runs `berth --local ...`, printed first; throws Unexpected where it does not end with `code`. */
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
  // On a terminal each command has it to itself: tables with borders and colour, as they look when they are typed.
  return { berth: (words, code = 0) => run(words, code, 'inherit'), read: (words) => run(words, 0, 'pipe') };
}

/** The user's environment without anything that would lead berth to the user's own accounts or files. */
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
  console.log('\nAll of it worked. Your own configuration is as it was, and nothing is left running.');
} catch (error) {
  console.error(`\nquickstart: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
