/**
 * `npm run owed`: builds, and runs the tests and checks that say what a change of a command still owes: uniform collections, help
 * pages, schemas, reference, completions, documents, examples, and one line a command for the contract. About 20 seconds on two
 * cores. Each failure names what to run or to write. `npm test` runs all of them too.
 */
import { spawn } from 'node:child_process';
import { build, root } from './prepare.mjs';

const SUITES = ['uniform', 'help', 'schemas', 'documents', 'examples', 'recorder'];
const STEPS = [
  ['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', ...SUITES.map((name) => `test/contract/${name}.test.ts`)],
  ...['completions', 'schemas', 'reference'].map((name) => [`scripts/${name}.mjs`, '--check']),
];

/** Runs a program of Node to its end. Returns its exit code and what it printed. */
async function run(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { code, output };
}

await build();
const results = await Promise.all(STEPS.map(run));
const failed = results.filter(({ code }) => code !== 0);
for (const { output } of failed) console.log(output.trimEnd());
console.log(failed.length === 0 ? 'nothing is owed' : `${failed.length} of ${STEPS.length} checks failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
