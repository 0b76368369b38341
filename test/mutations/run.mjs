/**
 * `npm run mutation-trials`: switches the bugs of list.mjs on, one at a time and in copies of the project, and runs the
 * tests that should fail. Goes on where an earlier run ended: a bug is tried again when its source file or one of its test
 * files has changed since then. Ends with 1 when a bug survives without an explanation.
 *
 *   npm run mutation-trials -- --jobs 2                  two trials at once
 *   npm run mutation-trials -- --only NAME,NAME          only these; their results are printed and not kept
 *   npm run mutation-trials -- --fresh                   all of them again
 *   npm run mutation-trials -- --through 'nice -n 10'    runs the tests by this command
 *   npm run mutation-trials -- --write                   writes docs/mutation-testing.md when all are done
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { AREAS, mutate, MUTATIONS, testPath } from './list.mjs';
import { page } from './page.mjs';
import { copyProject, judge, runTests, runTrial } from './trial.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kept = path.join(root, '.scratch-mutations', 'results.json');

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1' },
    only: { type: 'string' },
    fresh: { type: 'boolean', default: false },
    through: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
});
const through = values.through.split(' ').filter((word) => word !== '');
const names = values.only?.split(',');
const unknown = (names ?? []).filter((name) => !MUTATIONS.some((mutation) => mutation.name === name));
if (unknown.length > 0) throw new Error(`there is no mutation ${unknown.join(', ')}`);
const chosen = MUTATIONS.filter(({ name }) => names === undefined || names.includes(name));

const folder = mkdtempSync(path.join(tmpdir(), 'berth-mutations-'));
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

// The project may be edited during the run, so everything is done with one copy of it.
const original = path.join(folder, 'original');
copyProject(root, original);
const commit = execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
const keys = new Map(chosen.map((mutation) => [mutation, keyOf(mutation)]));
const results = new Map(names !== undefined || values.fresh ? [] : knownResults());
const waiting = chosen.filter((mutation) => !results.has(keys.get(mutation)));
const unchecked = [...new Set(waiting.flatMap((mutation) => mutation.tests))].filter(
  (test) => !results.has(unchangedKeyOf(test)),
);
const groups = groupsOf(unchecked);
console.log(`${chosen.length} mutations, ${chosen.length - waiting.length} known from an earlier run`);
await Promise.all(Array.from({ length: Number(values.jobs) }, (_, at) => lane(path.join(folder, `lane-${at + 1}`))));
await finish();

async function lane(place) {
  if (waiting.length > 0) copyProject(original, place);
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) await checkUnchanged(group, place);
  for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
    const outcome = await runTrial(mutation, place, through);
    results.set(keys.get(mutation), { name: mutation.name, ...outcome });
    const about = outcome.by ?? outcome.reason ?? mutation.about;
    console.log(`${outcome.result.padEnd(8)}  ${mutation.name}: ${about}`);
    if (names === undefined) keep();
  }
}

/** Without a mutation the tests must pass: otherwise a failure says nothing. */
async function checkUnchanged(tests, place) {
  const ended = await runTests(tests, place, through);
  const { result, by, reason } = judge({}, ended);
  if (result !== 'survived') throw new Error(`without a mutation, tests of ${tests.join(', ')} fail: ${by ?? reason}`);
  console.log(`without a mutation, ${ended.passed} tests in ${tests.length} files pass`);
  for (const test of tests) results.set(unchangedKeyOf(test), { result: 'passed' });
  if (names === undefined) keep();
}

/** Lists of a few names each. */
function groupsOf(tests) {
  return Array.from({ length: Math.ceil(tests.length / 6) }, (_, at) => tests.slice(6 * at, 6 * at + 6));
}

async function finish() {
  const found = chosen.map((mutation) => ({ mutation, ...results.get(keys.get(mutation)) }));
  const of = (result) => found.filter((each) => each.result === result);
  const open = found.filter(({ result, mutation }) => result !== 'caught' && mutation.explained === undefined);
  console.log(`${of('caught').length} caught, ${of('survived').length} survived, ${of('unclear').length} unclear`);
  for (const { mutation, result } of open) console.log(`${result}: ${mutation.name} (${mutation.file})`);
  for (const { mutation } of of('caught'))
    if (mutation.explained !== undefined) console.log(`caught, in spite of its explanation: ${mutation.name}`);
  if (values.write && names === undefined && of('unclear').length === 0) {
    const file = path.join(root, 'docs/mutation-testing.md');
    const options = { ...(await resolveConfig(file)), parser: 'markdown' };
    writeFileSync(file, await format(page(AREAS, found, commit, new Date()), options));
  }
  if (open.length > 0) process.exitCode = 1;
}

/** The results that an earlier run kept. */
function knownResults() {
  try {
    return JSON.parse(readFileSync(kept, 'utf8')).filter(([, { result }]) => result !== 'unclear');
  } catch {
    return [];
  }
}

function keep() {
  mkdirSync(path.dirname(kept), { recursive: true });
  writeFileSync(kept, JSON.stringify([...results]));
}

/** Names the result of a test file without a mutation. */
function unchangedKeyOf(test) {
  return `${test} ${createHash('sha256')
    .update(readFileSync(path.join(original, testPath(test))))
    .digest('hex')}`;
}

/** Another one when the mutation, a file that it changes or one of its test files has changed. */
function keyOf(mutation) {
  const read = (file) => readFileSync(path.join(original, file), 'utf8');
  const hash = createHash('sha256').update(JSON.stringify({ ...mutation, explained: undefined }));
  for (const [file, text] of mutate(mutation, read)) hash.update(`${file}\n${text}`);
  for (const test of mutation.tests) hash.update(read(testPath(test)));
  return hash.digest('hex');
}
