/**
 * `npm test`: installs what is missing, builds, and runs all tests and checks. The last line is `N passed, N failed`, where each
 * test and each check counts as one. The output of passing steps is hidden, except for lines that begin with `note: `, such as
 * a seed.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { fetchTool, HERE, ToolMissing, TOOLS } from './binary/tool.mjs';
import { installNodes, LOCK_FILES, nodeNames, nodeProgram } from './nodes.mjs';
import { build, install, root } from './prepare.mjs';

const AT_ONCE = 2;
/** A step that takes longer counts as hanging. Milliseconds. */
const LIMIT_SECONDS = 1200;

const reports = mkdtempSync(path.join(tmpdir(), 'berth-test-'));
const tool = (name, ...args) => ['node_modules/' + name, ...args];

const vitest = (name, ...args) => {
  const report = path.join(reports, `${name}.json`);
  const command = tool('vitest/vitest.mjs', 'run', ...args);
  return {
    name,
    report,
    command: [...command, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  };
};

/** The longest steps first, so that the others run beside them. */
const STEPS = [
  vitest('tests'),
  { name: 'lint', command: tool('eslint/bin/eslint.js', '.', '--max-warnings=0') },
  vitest('end to end', '--config', 'vitest.e2e.config.ts'),
  { name: 'types', command: tool('typescript/bin/tsc') },
  { name: 'format', command: tool('prettier/bin/prettier.cjs', '--check', '.', '--log-level=warn') },
  {
    name: 'layers',
    command: tool('dependency-cruiser/bin/dependency-cruise.mjs', 'src', '--config', '.dependency-cruiser.cjs'),
  },
  { name: 'unused', command: tool('knip/bin/knip.js', '--no-progress') },
  { name: 'package', command: tool('publint/src/cli.js', 'run', '.', '--strict', '--pack=npm') },
  { name: 'completions', command: ['scripts/completions.mjs', '--check'] },
  { name: 'schemas', command: ['scripts/schemas.mjs', '--check'] },
  { name: 'reference', command: ['scripts/reference.mjs', '--check'] },
  { name: 'dependencies', command: ['scripts/dependencies.mjs', '--check'] },
  // Near the end, so that its tool is downloaded by then.
  { name: 'executable', command: ['scripts/binary-trials.mjs', '--part'], needs: 'tool' },
  // The last, so that the other versions of Node are installed by then.
  ...nodeNames().map((name) => ({
    ...vitest(`Node ${name}`, '--config', 'vitest.nodes.config.ts'),
    env: { BERTH_E2E_NODE: nodeProgram(name) },
    needs: 'nodes',
  })),
];

/** The lock files must work with any registry, so they must not record download addresses. */
function lockFilesArePortable() {
  const wrong = LOCK_FILES.find((file) => /"resolved": "https?:/.test(readFileSync(path.join(root, file), 'utf8')));
  return wrong === undefined ? undefined : `${wrong} records download addresses: remove its "resolved" members`;
}

/**
 * Runs one step and collects its output, so that the output of parallel steps is not mixed. `missing` holds, by what steps need,
 * why this machine does not have it: such a step is skipped.
 */
async function run({ name, command, report, env = {}, needs }, missing) {
  const trouble = needs === undefined ? undefined : await missing[needs];
  if (trouble !== undefined)
    return say(name, '0.0', true, `note: not run: ${trouble}`, { passed: 0, failed: 0, skipped: 1 });
  const started = Date.now();
  const child = spawn(process.execPath, command, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    timeout: LIMIT_SECONDS * 1000,
  });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(1)).on('close', (status) => resolve(status));
  });
  if (code === null) output += `\nstopped: not done after ${LIMIT_SECONDS} seconds`;
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const results = report === undefined || !existsSync(report) ? undefined : JSON.parse(readFileSync(report, 'utf8'));
  // The failed tests first: what prints a long log may cut its end off.
  const details = results === undefined ? output : `${failedTests(results)}\n\n${output}`;
  return say(name, seconds, code === 0, details, report === undefined ? undefined : counted(results, code));
}

/** Lists the failed tests and test files, each with the first lines of its error. */
const failedTests = ({ testResults }) =>
  testResults
    .flatMap(({ name, status, message, assertionResults }) => {
      const file = path.relative(root, name);
      const failed = assertionResults.filter((test) => test.status === 'failed');
      if (failed.length === 0) return status === 'failed' ? [`${file}\n${firstLines(message)}`] : [];
      return failed.map((test) => `${file} > ${test.fullName}\n${firstLines(test.failureMessages.join('\n'))}`);
    })
    .join('\n');

const firstLines = (text) => stripVTControlCharacters(text).split('\n').slice(0, 12).join('\n').replace(/^/gm, '    ');

function say(name, seconds, ok, output, counts = { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 }) {
  const tests = counts.passed + counts.failed > 1 ? `${counts.passed + counts.failed} tests` : '';
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(12)} ${seconds.padStart(6)} s  ${tests}`.trimEnd());
  if (!ok) console.log(`\n${output.trimEnd()}\n`);
  else
    for (const [, note] of stripVTControlCharacters(output).matchAll(/^note: (.*)$/gm)) console.log(`        ${note}`);
  return counts;
}

/** Parses the counts of a test run; a run that fails without a failed test counts as one failure. */
function counted(results, code) {
  if (results === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const { numPassedTests, numFailedTests, numPendingTests } = results;
  const failed = code === 0 ? numFailedTests : Math.max(1, numFailedTests);
  return { passed: numPassedTests, failed, skipped: numPendingTests };
}

/**
 * Downloads the tool that makes executables. Returns why it cannot be downloaded; undefined when it is ready, or is not the expected
 * one, which the step itself reports.
 */
const fetchBinaryTool = () =>
  fetchTool(TOOLS, HERE).then(
    () => undefined,
    (error) => (error instanceof ToolMissing ? error.message.split('\n')[0] : undefined),
  );

async function runAll() {
  const waiting = [...STEPS];
  const missing = { nodes: installNodes(), tool: fetchBinaryTool() };
  const lane = async () => {
    const counts = [];
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) counts.push(await run(step, missing));
    return counts;
  };
  return (await Promise.all(Array.from({ length: AT_ONCE }, lane))).flat();
}

try {
  await install();
  await build({ always: true });
  const trouble = lockFilesArePortable();
  const counts = [say('lock file', '0.0', trouble === undefined, trouble ?? ''), ...(await runAll())];
  const sum = (key) => counts.reduce((total, each) => total + each[key], 0);
  if (sum('skipped') > 0) console.log(`${sum('skipped')} skipped: this machine lacks what they need`);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  process.exitCode = sum('failed') === 0 ? 0 : 1;
} catch (error) {
  console.log(error.message);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
} finally {
  rmSync(reports, { recursive: true, force: true });
}
