/**
 * `npm run size`: the lines, bytes and files of each room of src against its budget. Ends 1 where one is over it, and where src
 * has more lines than at its least since this script came, and no commit after that has `size: +N, because ...` in its message
 * for all of them. What is not committed is not judged so, nor is a clone without history.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
// oxfmt-ignore
const LINES = {
  root: 420, core: 2000, settings: 1000, http: 2000, output: 2400, cli: 5600, commands: 17_100,
  batch: 4800, storage: 1200, host: 4200, local: 10_300,
};
const ALL = { lines: 51_000, bytes: 2_250_000, files: 430, deep: 0, tests: 52_000 };
// Counted with the commands that use them.
const OF_COMMANDS = ['guard', 'fleet', 'create', 'queue'];

const linesOf = (content) => content.toString('latin1').split('\n').length - 1;
const filesIn = (folder) =>
  readdirSync(path.join(root, folder), { recursive: true }).filter((name) =>
    statSync(path.join(root, folder, name)).isFile(),
  );
const nothing = { lines: 0, bytes: 0, files: 0 };
const rooms = Object.fromEntries(Object.keys(LINES).map((name) => [name, { ...nothing }]));
const all = { ...nothing, deep: 0, tests: 0 };
for (const file of filesIn('src').filter((name) => name.endsWith('.ts'))) {
  const content = readFileSync(path.join(root, 'src', file));
  const [top, ...below] = file.split(path.sep);
  const room = below.length === 0 ? 'root' : OF_COMMANDS.includes(top) ? 'commands' : top;
  for (const sum of [(rooms[room] ??= { ...nothing }), all]) {
    sum.lines += linesOf(content);
    sum.bytes += content.length;
    sum.files += 1;
  }
  if (below.length > (['local', 'cli'].includes(room) ? 3 : 2)) all.deep += 1;
}
for (const file of filesIn('test')) all.tests += linesOf(readFileSync(path.join(root, 'test', file)));

let tooMuch = 0;
const print = (...cells) => console.log(cells.map((cell, at) => String(cell).padEnd(at === 0 ? 9 : 11)).join(' '));
function printRow(name, have, budget = 0, ...more) {
  if (have > budget) tooMuch += 1;
  print(name, have, budget, have > budget ? `+${have - budget}` : '', ...more);
}
print('room', 'lines', 'budget', 'over by', 'files', 'KB');
for (const [room, { lines, bytes, files }] of Object.entries(rooms))
  printRow(room, lines, LINES[room], files, Math.round(bytes / 1000));
for (const [what, budget] of Object.entries(ALL)) printRow(what, all[what], budget);

const git = (...args) =>
  execFileSync('git', args, { cwd: root, env: { PATH: process.env.PATH }, encoding: 'utf8', stdio: 'pipe' });

/** The lines that src has more than at its least, and those that messages since then account for. */
function growth() {
  const [base] = git('log', '--diff-filter=A', '--format=%H', '--', 'scripts/size.mjs').split('\n');
  const log = git('log', '--first-parent', '-m', '--numstat', '--format=commit %H', `${base}..HEAD`, '--', 'src/*.ts');
  let [grown, most, since] = [0, 0, 'HEAD'];
  for (const commit of log.split('commit ').slice(1)) {
    for (const [, more, less] of commit.matchAll(/^(\d+)\t(\d+)\t/gm)) grown += more - less;
    if (grown > most) [most, since] = [grown, `${commit.slice(0, 40)}^`];
  }
  const said = git('log', '--format=%B', `${since}..HEAD`).matchAll(/^size: \+(\d+), because \S/gm);
  return { most, since, said: [...said].reduce((sum, [, lines]) => sum + Number(lines), 0) };
}

let failed = tooMuch > 0;
try {
  const { most, since, said } = growth();
  if (most > said) {
    console.log(`src grew by ${most} lines since ${since}, and commits say why of ${said}: size: +N, because ...`);
    failed = true;
  }
} catch {
  console.log('note: this is no clone with a history: whether src grew is not known');
}
process.exitCode = failed ? 1 : 0;
