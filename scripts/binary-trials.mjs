/**
 * `npm run binary-trials`: makes the executable of this machine, runs the end-to-end tests on it, and the fault tests in its
 * runtime. Needs `npm run build` first. The last line has the counts; the exit code is 1 when a test failed. Where the tool
 * that makes executables cannot be downloaded, it says so and ends 0.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchTool, HERE, ToolMissing } from './binary/tool.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = path.join(root, 'dist-binary');
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

async function run() {
  mkdirSync(out, { recursive: true });
  const tool = await fetchTool(path.join(out, 'tools'), HERE);
  if (mustRun(process.execPath, ['scripts/binary.mjs']) !== 0) throw new Error('the executable cannot be made');
  const program = path.join(out, HERE, process.platform === 'win32' ? 'berth.exe' : 'berth');
  const counts = [
    counted('end to end', process.execPath, [vitest, 'run', '--config', 'vitest.e2e.config.ts'], {
      BERTH_E2E_PROGRAM: program,
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
