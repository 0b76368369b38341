/**
 * `npm run binary-trials`: makes the executable of this machine, and in two clones the same bytes; runs the end-to-end tests on
 * it, and the fault tests in its runtime. Needs `npm run build` first. The last line has the counts; the exit code is 1 when a test failed. Where the tool
 * that makes executables cannot be downloaded, it says so and ends 0.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchTool, HERE, ToolMissing } from './binary/tool.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = path.join(root, 'dist-binary');
const PROGRAM = process.platform === 'win32' ? 'berth.exe' : 'berth';
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');

function mustRun(program, args, env = {}) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  return status ?? 1;
}

/** Runs tests and returns their counts. A run that fails without a failed test counts as one failure. */
function counted(name, program, args, env) {
  const folder = mkdtempSync(path.join(out, 'report-'));
  const report = path.join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const status = mustRun(program, [...args, ...reporters], env);
    const results = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
    const { numPassedTests: passed = 0, numFailedTests = 0, numPendingTests: skipped = 0 } = results;
    const failed = status === 0 ? numFailedTests : Math.max(1, numFailedTests);
    return { name, passed, failed, skipped };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes the executable in a fresh clone of the last commit. Returns its bytes. */
function buildClone(tools) {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-clone-'));
  try {
    if (mustRun('git', ['clone', '--quiet', root, folder]) !== 0) throw new Error('git cannot clone this folder');
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    const script = path.join(folder, 'scripts/binary.mjs');
    if (mustRun(process.execPath, [script], { BERTH_BINARY_TOOLS: tools }) !== 0)
      throw new Error('a clone cannot be built');
    return readFileSync(path.join(folder, 'dist-binary', HERE, PROGRAM));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether two clones in folders of other names give the same bytes, as counts of one test. */
function reproducible(tools) {
  const isSame = buildClone(tools).equals(buildClone(tools));
  return { name: 'two clones', passed: isSame ? 1 : 0, failed: isSame ? 0 : 1, skipped: 0 };
}

async function run() {
  mkdirSync(out, { recursive: true });
  const tools = process.env.BERTH_BINARY_TOOLS ?? path.join(out, 'tools');
  const tool = await fetchTool(tools, HERE);
  if (mustRun(process.execPath, ['scripts/binary.mjs']) !== 0) throw new Error('the executable cannot be made');
  const counts = [
    reproducible(tools),
    counted('end to end', process.execPath, [vitest, 'run', '--config', 'vitest.e2e.config.ts'], {
      BERTH_E2E_PROGRAM: path.join(out, HERE, PROGRAM),
    }),
    // `--bun` also for the processes that the tests start.
    counted('faults', tool, ['--bun', vitest, 'run', 'test/faults', '--testTimeout=60000']),
  ];
  for (const { name, passed, failed, skipped } of counts)
    console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  return counts.some(({ failed }) => failed > 0) ? 1 : 0;
}

try {
  process.exitCode = await run();
} catch (error) {
  if (!(error instanceof ToolMissing)) throw error;
  console.log(`skipped: ${error.message.trimEnd()}`);
}
