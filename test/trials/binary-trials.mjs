/**
 * `npm run binary-trials`: makes the executable of this machine twice, in folders of other names, which must give the same bytes;
 * runs all end-to-end tests on it, and the fault tests in its runtime. Takes about fifteen minutes. The last line says what failed. Where the tool that makes executables cannot be downloaded, it says so and ends 0.
 *
 *   npm run binary-trials -- --part                     made once, and the part that `npm test` runs
 *   npm run binary-trials -- test/e2e/pipes.test.ts     these files, of test/e2e and of test/faults
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fetchTool, HERE, ToolMissing, TOOLS } from '../../scripts/binary/tool.mjs';
import { build, install, root } from '../../scripts/prepare.mjs';

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

/** Runs everything that was asked for. Returns the names of what failed. `folders` are empty, and are removed afterwards. */
async function runAll(tool, [first, second]) {
  const program = makeInCopy(first, 'UTC');
  const failed = [];
  const same = () => readFileSync(program).equals(readFileSync(makeInCopy(path.join(second, 'below'), 'Asia/Tokyo')));
  if (!values.part && !same()) failed.push('the same bytes in two folders');
  const e2e = [VITEST, 'run', '--config', 'vitest.e2e.config.ts', ...filesIn('test/e2e')];
  if (files.length === 0 || filesIn('test/e2e').length > 0)
    if (run(process.execPath, e2e, { BERTH_E2E_PROGRAM: program }) !== 0) failed.push('end to end');
  const faults = files.length === 0 ? ['test/faults'] : filesIn('test/faults');
  // `--bun` also for the processes that the tests start.
  if (faults.length > 0 && run(tool, ['--bun', VITEST, 'run', ...faults, '--testTimeout=60000']) !== 0)
    failed.push('faults');
  return failed;
}

const folders = ['one', 'another'].map((name) => mkdtempSync(path.join(tmpdir(), `berth-${name}-`)));
try {
  install();
  build();
  const failed = await runAll(await fetchTool(TOOLS, HERE), folders);
  console.log(failed.length === 0 ? 'all passed' : `failed: ${failed.join(', ')}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof ToolMissing)) throw error;
  console.log(`skipped: ${error.message.trimEnd()}`);
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
