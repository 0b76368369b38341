/**
 * `npm run mutation-trials`: switches the bugs of list.mjs on, one at a time and in copies of the project, and runs the
 * tests that should fail. Goes on where an earlier run ended, unless a source or test file has changed since then. Ends
 * with 1 when a bug survives without an explanation.
 *
 *   npm run mutation-trials -- --jobs 2                  two trials at once
 *   npm run mutation-trials -- --only NAME,NAME          only these; their results are printed and not kept
 *   npm run mutation-trials -- --fresh                   all of them again
 *   npm run mutation-trials -- --through 'nice -n 10'    runs the tests by this command
 *   npm run mutation-trials -- --write                   writes docs/mutation-testing.md when all are done
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AREAS, MUTATIONS } from './list.mjs';
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

const digest = digestOf(['src', 'test', 'package-lock.json']);
const results = new Map(names !== undefined || values.fresh ? [] : knownResults());
const waiting = chosen.filter((mutation) => !results.has(keyOf(mutation)));
const folder = mkdtempSync(path.join(tmpdir(), 'berth-mutations-'));
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

console.log(`${chosen.length} mutations, ${chosen.length - waiting.length} known from an earlier run`);
if (waiting.length > 0) await checkUnchanged();
await Promise.all(Array.from({ length: Number(values.jobs) }, (_, at) => lane(path.join(folder, `lane-${at + 1}`))));
finish();

/** Without a mutation all tests must pass: otherwise a failure says nothing. */
async function checkUnchanged() {
  const place = path.join(folder, 'unchanged');
  copyProject(root, place);
  const tests = [...new Set(waiting.flatMap((mutation) => mutation.tests))];
  const ended = await runTests(tests, place, through);
  const { result, by, reason } = judge({}, ended);
  if (result !== 'survived') throw new Error(`without a mutation, the tests fail: ${by ?? reason}`);
  console.log(`without a mutation, ${ended.passed} tests in ${tests.length} files pass`);
}

async function lane(place) {
  if (waiting.length > 0) copyProject(root, place);
  for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
    const outcome = await runTrial(mutation, place, through);
    results.set(keyOf(mutation), { name: mutation.name, ...outcome });
    const about = outcome.by ?? outcome.reason ?? mutation.about;
    console.log(`${outcome.result.padEnd(8)}  ${mutation.name}: ${about}`);
    if (names === undefined) keep();
  }
}

function finish() {
  const found = chosen.map((mutation) => ({ mutation, ...results.get(keyOf(mutation)) }));
  const of = (result) => found.filter((each) => each.result === result);
  const open = found.filter(({ result, mutation }) => result !== 'caught' && mutation.explained === undefined);
  console.log(`${of('caught').length} caught, ${of('survived').length} survived, ${of('unclear').length} unclear`);
  for (const { mutation, result } of open) console.log(`${result}: ${mutation.name} (${mutation.file})`);
  for (const { mutation } of of('caught'))
    if (mutation.explained !== undefined) console.log(`caught, in spite of its explanation: ${mutation.name}`);
  if (values.write && names === undefined && of('unclear').length === 0) {
    const commit = execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
    writeFileSync(path.join(root, 'docs/mutation-testing.md'), page(AREAS, found, commit, new Date()));
  }
  if (open.length > 0) process.exitCode = 1;
}

/** The results that an earlier run kept, for the same source and test files. */
function knownResults() {
  try {
    const stored = JSON.parse(readFileSync(kept, 'utf8'));
    return stored.digest === digest ? stored.results.filter(([, { result }]) => result !== 'unclear') : [];
  } catch {
    return [];
  }
}

function keep() {
  mkdirSync(path.dirname(kept), { recursive: true });
  writeFileSync(kept, JSON.stringify({ digest, results: [...results] }));
}

function keyOf(mutation) {
  return createHash('sha256').update(JSON.stringify(mutation)).digest('hex');
}

/** The digest of files and folders, without the mutations themselves. */
function digestOf(names) {
  const hash = createHash('sha256');
  for (const name of names) {
    const files = name.includes('.') ? [name] : filesBelow(name);
    for (const file of files) hash.update(`${file}\n`).update(readFileSync(path.join(root, file)));
  }
  return hash.digest('hex');
}

function filesBelow(name) {
  return readdirSync(path.join(root, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith(path.join('test', 'mutations')))
    .sort();
}
