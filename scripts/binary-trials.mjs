/**
 * `npm run binary-trials`: makes the executable of this machine twice, in folders of other names, which must give the same bytes;
 * runs all end-to-end tests on it, and the fault tests in its runtime. Takes about fifteen minutes. The last lines have the counts;
 * the exit code is 1 when a test failed. Where the tool that makes executables cannot be downloaded, it says so and ends 0.
 *
 *   npm run binary-trials -- --part                     made once, and the part that `npm test` runs
 *   npm run binary-trials -- test/e2e/pipes.test.ts     these files, of test/e2e and of test/faults
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fetchTool, HERE, ToolMissing, TOOLS } from './binary/tool.mjs';
import { build, install, root } from './prepare.mjs';

const PROGRAM = process.platform === 'win32' ? 'berth.exe' : 'berth';
const VITEST = path.join(root, 'node_modules/vitest/vitest.mjs');
/** What is not copied: packages are linked, and nothing that was built may be used. */
const NOT_COPIED = ['node_modules', 'dist', 'dist-binary', '.git'];
/** One command of each kind, TLS and schemas: what `npm test` runs. */
const PART = ['test/e2e/executable.test.ts', 'test/e2e/world.test.ts', 'test/e2e/schemas.test.ts'];

const { values, positionals } = parseArgs({
  options: { part: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const files = values.part ? PART : positionals;
const filesIn = (folder) => files.filter((file) => file.includes(folder));

function run(program, args, env = {}) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  return status ?? 1;
}

/** Makes the executable in a copy of the sources, with a time zone. Returns its path. */
function makeInCopy(folder, TZ) {
  for (const name of readdirSync(root))
    if (!NOT_COPIED.includes(name)) cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const status = run(process.execPath, [path.join(folder, 'scripts/binary.mjs')], { BERTH_BINARY_TOOLS: TOOLS, TZ });
  if (status !== 0) throw new Error('the executable cannot be made');
  return path.join(folder, 'dist-binary', HERE, PROGRAM);
}

/** Runs tests and returns their counts. A run that fails without a failed test counts as one failure. */
function counted(name, folder, program, args, env) {
  const report = path.join(folder, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const status = run(program, [...args, ...reporters], env);
  const results = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
  const { numPassedTests: passed = 0, numFailedTests = 0, numPendingTests: skipped = 0 } = results;
  const failed = status === 0 ? numFailedTests : Math.max(1, numFailedTests);
  return { name, passed, failed, skipped };
}

/** Runs everything that was asked for. Returns the counts of each suite. `folders` are empty, and are removed afterwards. */
async function runAll(tool, [first, second, reports]) {
  const program = makeInCopy(first, 'UTC');
  const counts = [];
  if (!values.part) {
    const same = readFileSync(program).equals(readFileSync(makeInCopy(path.join(second, 'below'), 'Asia/Tokyo')))
      ? 1
      : 0;
    counts.push({ name: 'the same bytes in two folders', passed: same, failed: 1 - same, skipped: 0 });
  }
  if (files.length === 0 || filesIn('test/e2e').length > 0)
    counts.push(
      counted(
        'end to end',
        reports,
        process.execPath,
        [VITEST, 'run', '--config', 'vitest.e2e.config.ts', ...filesIn('test/e2e')],
        { BERTH_E2E_PROGRAM: program },
      ),
    );
  const faults = files.length === 0 ? ['test/faults'] : filesIn('test/faults');
  // `--bun` also for the processes that the tests start.
  if (faults.length > 0)
    counts.push(counted('faults', reports, tool, ['--bun', VITEST, 'run', ...faults, '--testTimeout=60000']));
  return counts;
}

const folders = ['one', 'another', 'reports'].map((name) => mkdtempSync(path.join(tmpdir(), `berth-${name}-`)));
try {
  await install();
  await build();
  const counts = await runAll(await fetchTool(TOOLS, HERE), folders);
  for (const { name, passed, failed, skipped } of counts)
    console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = counts.every(({ failed }) => failed === 0) ? 0 : 1;
} catch (error) {
  if (!(error instanceof ToolMissing)) throw error;
  console.log(`skipped: ${error.message.trimEnd()}`);
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
