/**
 * Writes docs/reference and completions/ from the built program (`npm run reference`, `npm run completions`). With --check it
 * only compares, and exits with 1 when something differs.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'oxfmt';
import { root } from './prepare.mjs';
import { indexPage, nounPage } from './reference-pages.mjs';

const PAGES = 'docs/reference';
const COMPLETIONS = 'completions';
const SHELLS = { bash: 'berth.bash', zsh: 'berth.zsh', fish: 'berth.fish', powershell: 'berth.ps1' };

const berth = (...words) =>
  execFileSync(process.execPath, [path.join(root, 'bin/berth'), ...words], { encoding: 'utf8', maxBuffer: 1 << 26 });

const described = JSON.parse(berth('help', '--json'));
const commandsOf = (noun) => described.commands.filter(({ command }) => command.split(' ')[0] === noun);
const pages = [
  ['README.md', indexPage(described)],
  ...described.nouns.map((each) => [`${each.noun}.md`, nounPage(each, commandsOf(each.noun))]),
];

/** The texts by their files, below the folder of the project. */
const after = new Map();
for (const [name, text] of pages) after.set(path.join(PAGES, name), (await format(name, text)).code);
for (const [shell, name] of Object.entries(SHELLS)) after.set(path.join(COMPLETIONS, name), berth('completion', shell));

const before = new Map();
for (const folder of [PAGES, COMPLETIONS]) {
  mkdirSync(path.join(root, folder), { recursive: true });
  for (const name of readdirSync(path.join(root, folder)))
    before.set(path.join(folder, name), readFileSync(path.join(root, folder, name), 'utf8'));
}
const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
  (file) => before.get(file) !== after.get(file),
);

if (process.argv.includes('--check')) {
  if (changed.length > 0) console.log(`out of date (${changed.join(', ')}): run "npm run reference"`);
  process.exitCode = changed.length > 0 ? 1 : 0;
} else
  for (const file of changed) {
    const text = after.get(file);
    if (text === undefined) rmSync(path.join(root, file));
    else writeFileSync(path.join(root, file), text);
  }
