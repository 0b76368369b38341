/**
 * `npm run node-trials`: runs all end-to-end tests with each other version of Node, one after the other. Takes about ten minutes for
 * each. `npm test` runs a part of them.
 *
 *   npm run node-trials -- --node 22                 one version
 *   npm run node-trials -- --part                    only the part that `npm test` runs
 *   npm run node-trials -- test/e2e/pipes.test.ts    these files
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { installNodes, nodeNames, nodeProgram } from '../../scripts/nodes.mjs';
import { build, install, root } from '../../scripts/prepare.mjs';

const { values, positionals } = parseArgs({
  options: { node: { type: 'string', multiple: true }, part: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const names = values.node ?? nodeNames();
const unknown = names.find((name) => !nodeNames().includes(name));
const config = values.part ? 'vitest.nodes.config.ts' : 'vitest.e2e.config.ts';

/** Runs the tests with one version. Returns its exit code. */
function runWith(name) {
  console.log(`\nNode ${name}`);
  return spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--config', config, ...positionals], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, BERTH_E2E_NODE: nodeProgram(name) },
  }).status;
}

install();
build();
const trouble = unknown === undefined ? await installNodes() : `there is no Node ${unknown} in test/nodes`;
if (trouble !== undefined) console.error(`not run: ${trouble}`);
const failed = trouble === undefined ? names.filter((name) => runWith(name) !== 0) : names;
if (trouble === undefined) console.log(failed.length === 0 ? 'all passed' : `failed: Node ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
