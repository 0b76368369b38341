/**
 * `npm run node-trials`: runs all end-to-end tests with each other version of Node, one after the other. Takes about ten minutes for
 * each. `npm test` runs a part of them.
 *
 *   npm run node-trials -- --node 22                 one version
 *   npm run node-trials -- --part                    only the part that `npm test` runs
 *   npm run node-trials -- test/e2e/pipes.test.ts    these files
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { installNodes, nodeNames, nodeProgram } from './nodes.mjs';
import { build, install, root } from './prepare.mjs';

const { values, positionals } = parseArgs({
  options: { node: { type: 'string', multiple: true }, part: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const names = values.node ?? nodeNames();
const unknown = names.find((name) => !nodeNames().includes(name));

/** Runs the tests with one version. Returns its counts as a line, and whether all passed. */
function runWith(name, folder) {
  const report = path.join(folder, `${name}.json`);
  const config = values.part ? 'vitest.nodes.config.ts' : 'vitest.e2e.config.ts';
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', config, ...positionals];
  const started = performance.now();
  const { status } = spawnSync(
    process.execPath,
    [...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, BERTH_E2E_NODE: nodeProgram(name) },
    },
  );
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
  const seconds = Math.round((performance.now() - started) / 1000);
  return {
    passed: status === 0,
    line: `Node ${name}: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped, ${seconds} s`,
  };
}

await install();
await build();
const trouble = unknown === undefined ? await installNodes() : `there is no Node ${unknown} in test/nodes`;
if (trouble === undefined) {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-node-trials-'));
  const results = names.map((name) => runWith(name, folder));
  rmSync(folder, { recursive: true });
  console.log(results.map(({ line }) => line).join('\n'));
  process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
} else {
  console.error(`not run: ${trouble}`);
  process.exitCode = 1;
}
