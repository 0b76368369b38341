/**
 * Writes the schemas that the built program prints to docs/schemas (`npm run schemas`): one file for each command with
 * JSON output, and error.json. docs/schemas is the record of what programs rely on: a change that can break them is not
 * written unless the Unreleased part of CHANGELOG.md names the command. With --check it only compares, and exits with 1
 * when a file differs.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './prepare.mjs';
import { brokenOutputs, namedInChangelog } from './compare-schemas.mjs';

const FOLDER = path.join(root, 'docs/schemas');

/** The schemas of the built program, by command. */
function builtSchemas() {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/berth', 'schema', '--json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`berth schema ended ${status}: ${stderr.trim()}`);
  return Object.fromEntries(JSON.parse(stdout).map(({ command, schema }) => [command, schema]));
}

/** The schemas of docs/schemas, by command. The title of a schema holds the command with its spaces. */
function recordedSchemas() {
  mkdirSync(FOLDER, { recursive: true });
  const schemas = readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8')));
  return Object.fromEntries(schemas.map((schema) => [commandOf(schema), schema]));
}

const commandOf = ({ title, $id }) => /^berth (.*) --json$/.exec(title)?.[1] ?? $id.split(':').at(-1);
const fileOf = (command) => path.join(FOLDER, `${command.replaceAll(' ', '-')}.json`);
const textOf = (schema) => `${JSON.stringify(schema, undefined, 2)}\n`;

const [recorded, built] = [recordedSchemas(), builtSchemas()];
const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
const broken = brokenOutputs(recorded, built).filter(({ command }) => !namedInChangelog(changelog, command));
const differing = [...new Set([...Object.keys(recorded), ...Object.keys(built)])].filter(
  (command) => JSON.stringify(recorded[command]) !== JSON.stringify(built[command]),
);
for (const { command, changes } of broken) {
  console.log(`The output of \`${command}\` changes in a way that can break programs:`);
  for (const change of changes) console.log(`  ${change}`);
  console.log(`  Take it back, or add a line to Unreleased in CHANGELOG.md: - Output of \`${command}\`: what changes.`);
}
if (process.argv.includes('--check')) {
  if (differing.length > 0) console.log(`docs/schemas is out of date: ${differing.join(', ')}. Run "npm run schemas"`);
  process.exitCode = differing.length > 0 ? 1 : 0;
} else if (broken.length > 0) process.exitCode = 1;
else
  for (const command of differing) {
    if (built[command] === undefined) rmSync(fileOf(command));
    else writeFileSync(fileOf(command), textOf(built[command]));
    console.log(path.relative(root, fileOf(command)));
  }
