/** One trial: a copy of the project with one mutation, and the tests that should fail in it. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mutate, testPath } from './list.mjs';

/** What tests read of the project. */
const COPIED = [
  'src',
  'test',
  'scripts',
  'workers',
  'bin',
  'completions',
  'docs',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
];

/** A trial that takes longer is ended: a bug can keep the test process itself busy for ever. Milliseconds. */
const MAX_TRIAL_MS = 600_000;
/** Longer than in ordinary runs, because other programs may be busy on this machine. Milliseconds. */
const TEST_TIMEOUT_MS = 60_000;

/** Modules that did not change since the last trial in a copy are not compiled again. */
const CACHE = ['--experimental.fsModuleCache', '--experimental.fsModuleCachePath=.cache'];

/** Copies the project to a folder, without its mutations. */
export function copyProject(root, folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of COPIED) cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  symlinkSync(realpathSync(path.join(root, 'node_modules')), path.join(folder, 'node_modules'), 'dir');
}

/**
 * Runs the tests of a mutation in a copy of the project, and restores the copy. Returns `caught` with the titles of the
 * tests that failed, `survived`, or `unclear` with the reason.
 */
export async function runTrial(mutation, folder, through) {
  const read = (file) => readFileSync(path.join(folder, file), 'utf8');
  const mutated = mutate(mutation, read);
  const originals = [...mutated.keys()].map((file) => [file, read(file)]);
  const write = ([file, text]) => writeFileSync(path.join(folder, file), text);
  [...mutated].forEach(write);
  try {
    // One file after the other, because the first one is the most likely to fail.
    for (const test of mutation.tests) {
      const outcome = judge(mutation, await runTests([test], folder, through));
      if (outcome.result !== 'survived') return outcome;
    }
    return { result: 'survived' };
  } finally {
    originals.forEach(write);
  }
}

/** Runs test files of a copy. Returns what failed and how the process ended. */
export async function runTests(tests, folder, through = []) {
  const report = path.join(folder, 'report.json');
  rmSync(report, { force: true });
  const vitest = [process.execPath, path.join(folder, 'node_modules/vitest/vitest.mjs'), 'run', '--bail=1', ...CACHE];
  const options = ['--maxWorkers=1', `--testTimeout=${TEST_TIMEOUT_MS}`, '--reporter=json', `--outputFile=${report}`];
  const [program, ...args] = [...through, ...vitest, ...options, ...tests.map(testPath)];
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => (output = (output + data).slice(-100_000)));
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    end(child);
  }, MAX_TRIAL_MS);
  const stop = () => end(child);
  // First, because the folder is removed at the exit too.
  process.prependOnceListener('exit', stop);
  const code = await new Promise((resolve) => child.on('error', () => resolve(-1)).on('close', resolve));
  process.off('exit', stop);
  clearTimeout(timer);
  return { code, timedOut, output, ...failuresIn(report) };
}

/** Ends a process and those that it has started. */
function end(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** The titles and messages of failed tests, and the files that could not be run. */
function failuresIn(report) {
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    return { passed: 0, failed: [], broken: [] };
  }
  const tests = results.flatMap(({ assertionResults }) => assertionResults);
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: tests
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => ({ title: fullName, message: failureMessages.join('\n') })),
    broken: results
      .filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0)
      .map(({ name, message }) => `${path.basename(name)}: ${message.split('\n')[0]}`),
  };
}

const isTimeout = ({ message }) => /timed out in \d+ ?ms/i.test(message);

/** Decides what the end of the tests says about a mutation. */
export function judge({ hangs = false }, { code, timedOut, passed, failed, broken, output }) {
  if (broken.length > 0) return { result: 'unclear', reason: broken[0] };
  const asserted = failed.filter((each) => !isTimeout(each));
  if (asserted.length > 0) return { result: 'caught', by: asserted[0].title };
  if (failed.length > 0 || timedOut)
    return hangs
      ? { result: 'caught', by: `${failed[0]?.title ?? 'the whole run'} (never ended)` }
      : { result: 'unclear', reason: `a test did not end: ${failed[0]?.title ?? 'the whole run'}` };
  if (code === 0 && passed > 0) return { result: 'survived' };
  if (passed > 0 && /Unhandled (Error|Rejection)/.test(output)) return { result: 'caught', by: 'an unhandled error' };
  // A test file that blocks its process is ended and reports nothing.
  if (hangs && code !== 0) return { result: 'caught', by: 'the whole file (never ended)' };
  return { result: 'unclear', reason: `the tests ended with ${code}: ${output.trim().split('\n').at(-1) ?? ''}` };
}
