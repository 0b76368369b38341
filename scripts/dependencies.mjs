/**
 * Updates the columns of docs/dependencies.md that can be measured: version, size on disk, date of the release. Asks the
 * registry that npm is configured with. With --check, compares packages and versions with package.json and asks nobody.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'oxfmt';
import { root } from './prepare.mjs';

const PAGE = path.join(root, 'docs/dependencies.md');
const { devDependencies: versions } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** A row: package, version, size, release, what it is for, why this one. */
const isRow = (line) => /^\| `/.test(line);
const cellsOf = (line) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const nameOf = (line) => cellsOf(line)[0].replaceAll('`', '');

function bytesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
}

function releasedAt(name, version) {
  const times = JSON.parse(
    execFileSync('npm', ['view', name, 'time', '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  return String(times[version]).slice(0, 10);
}

function updated(line) {
  const [name, , , , ...text] = cellsOf(line);
  const key = nameOf(line);
  const size = `${Math.ceil(bytesOf(path.join(root, 'node_modules', key)) / 1024).toLocaleString('en-US')} KB`;
  return `| ${[name, versions[key], size, releasedAt(key, versions[key]), ...text].join(' | ')} |`;
}

/** Says what is missing, unknown or of another version. */
function problems(lines) {
  const listed = new Map(lines.filter(isRow).map((line) => [nameOf(line), cellsOf(line)[1]]));
  return [
    ...Object.keys(versions)
      .filter((name) => !listed.has(name))
      .map((name) => `${name} is not in the table`),
    ...[...listed]
      .filter(([name, version]) => versions[name] !== version)
      .map(([name]) => `${name} has another version in package.json, or is not there`),
  ];
}

const lines = readFileSync(PAGE, 'utf8').split('\n');
if (process.argv.includes('--check')) {
  const found = problems(lines);
  if (found.length > 0)
    console.log(`docs/dependencies.md: ${found.join('; ')}. Edit the table, then: node scripts/dependencies.mjs`);
  process.exitCode = found.length > 0 ? 1 : 0;
} else {
  const page = lines.map((line) => (isRow(line) && nameOf(line) in versions ? updated(line) : line)).join('\n');
  writeFileSync(PAGE, (await format(PAGE, page)).code);
}
