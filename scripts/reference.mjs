/**
 * Writes docs/reference from the built program (`npm run reference`). With --check it
 * only compares, and exits with 1 when something differs.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'oxfmt';
import { root } from './prepare.mjs';
import { indexPage, nounPage } from './reference-pages.mjs';

const help = [path.join(root, 'bin/berth'), 'help', '--json'];
const described = JSON.parse(execFileSync(process.execPath, help, { encoding: 'utf8', maxBuffer: 1 << 26 }));
const commandsOf = (noun) => described.commands.filter(({ command }) => command.split(' ')[0] === noun);
const folder = 'docs/reference';
const pages = [
  ['README.md', indexPage(described)],
  ...described.nouns.map((each) => [`${each.noun}.md`, nounPage(each, commandsOf(each.noun))]),
];

/** The texts by their files, below the folder of the project. */
const after = new Map();
for (const [name, text] of pages) after.set(path.join(folder, name), (await format(name, text)).code);

mkdirSync(path.join(root, folder), { recursive: true });
const files = readdirSync(path.join(root, folder)).map((name) => path.join(folder, name));
const before = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
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
