/** Writes docs/reference from the built program (`npm run reference`). With --check it only compares, and exits with 1 when a page differs. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from './prepare.mjs';
import { commandsOf, describe } from './reference/describe.mjs';
import { indexPage, nounPage } from './reference/markdown.mjs';

const folder = path.join(root, 'docs/reference');
const described = describe(root);
const pages = new Map([
  ['README.md', indexPage(described)],
  ...described.nouns.map((each) => [`${each.noun}.md`, nounPage(each, commandsOf(described, each.noun))]),
]);

const options = { ...(await resolveConfig(path.join(folder, 'README.md'))), parser: 'markdown' };
mkdirSync(folder, { recursive: true });
const before = new Map(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
const after = new Map();
for (const [name, text] of pages) after.set(name, await format(text, options));
const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
  (name) => before.get(name) !== after.get(name),
);

if (process.argv.includes('--check')) {
  if (changed.length > 0) console.log(`docs/reference is out of date (${changed.join(', ')}): run "npm run reference"`);
  process.exitCode = changed.length > 0 ? 1 : 0;
} else
  for (const name of changed) {
    const text = after.get(name);
    if (text === undefined) rmSync(path.join(folder, name));
    else writeFileSync(path.join(folder, name), text);
  }
