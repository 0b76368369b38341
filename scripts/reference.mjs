/**
 * Writes docs/reference (from `berth help --json`: a page for each noun, and one for what all share) and completions/ with the built program (`npm run reference`, `npm run completions`). With --check it
 * only compares, and exits with 1 when something differs.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'oxfmt';
import { root } from './prepare.mjs';

const PAGES = 'docs/reference';
const COMPLETIONS = 'completions';
const SHELLS = { bash: 'berth.bash', zsh: 'berth.zsh', fish: 'berth.fish', powershell: 'berth.ps1' };

/** Text for a paragraph or a cell: characters that Markdown would read as markup are escaped, but not inside `code`. */
const plain = (text) =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/[\\*_<>|[\]]/g, '\\$&')))
    .join('');
const cell = (text) => plain(text).replaceAll('\n', ' ');
const code = (text) => (text === undefined ? '' : `\`${String(text).replaceAll('|', '\\|')}\``);
const sentence = (text) => `${plain(text[0].toUpperCase() + text.slice(1))}.`;
const flagCode = ({ flag, short }) => code(short === undefined ? flag : `${short}, ${flag}`);

/** A table with a row for each item; nothing without items. */
const table = (heads, items, cells) =>
  items.length === 0
    ? []
    : [heads, heads.map(() => '---'), ...items.map(cells)].map((row) => `| ${row.join(' | ')} |`).concat('');

const section = (title, ...rest) => [`## ${title}`, '', ...table(...rest)];

/** What a command does beside printing, in words. */
function effects({ writes, destroys, asks, changesMachine, costs, waits, waitsWith }) {
  const parts = [
    writes && 'changes something at the service',
    changesMachine && 'changes files or processes of this machine',
    destroys && 'destroys',
    asks && 'asks for confirmation, unless `--yes` is given',
    costs && 'may cost money',
    waits && 'waits',
    !waits && waitsWith.length > 0 && `waits with ${waitsWith.map(code).join(', ')}`,
  ].filter(Boolean);
  return parts.length === 0 ? [] : [`It ${parts.join('; ')}.`, ''];
}

/** What a value may be, in words; empty for a switch without a default. */
const valueText = ({ type, required, repeatable, choices, default: fallback, onlyWithOneOf }) =>
  [
    choices === undefined ? type : choices.map(code).join(', '),
    fallback !== undefined && `default ${code(fallback)}`,
    required && 'required',
    repeatable && 'repeatable',
    onlyWithOneOf !== undefined && `with ${onlyWithOneOf.map(code).join(' or ')}`,
  ]
    .filter(Boolean)
    .join('; ');

function usageOf({ command, arguments: args, flags, flagsFirst = false }) {
  const wordsOf = (isLast) =>
    args
      .filter(({ afterDashes = false }) => afterDashes === isLast)
      .map(({ name, required, repeatable }) => {
        const word = name + (repeatable && !name.endsWith('...') ? '...' : '');
        return required ? word : `[${word}]`;
      });
  const more = flags.length === 0 ? [] : ['[FLAGS]'];
  const first = flagsFirst ? [...more, ...wordsOf(false)] : [...wordsOf(false), ...more];
  return ['berth', command, ...first, ...wordsOf(true)].join(' ');
}

function commandLines(described) {
  const { command, summary, details, arguments: args, flags, fields, examples } = described;
  const shown = examples.flatMap(({ command: line, meaning }) => [`# ${meaning}`, line]);
  return [
    ...[`## berth ${command}`, '', sentence(summary), '', '```text', usageOf(described), '```', ''],
    ...(details === undefined ? [] : [plain(details), '']),
    ...effects(described),
    ...table(['argument', 'what', 'value'], args, (each) => [code(each.name), cell(each.summary), valueText(each)]),
    ...table(['flag', 'what', 'value'], flags, (each) => [flagCode(each), cell(each.summary), valueText(each)]),
    ...(fields === undefined ? [] : [`Members of a row, for \`--fields\`: ${fields.map(code).join(', ')}.`, '']),
    ...(shown.length === 0 ? [] : ['```sh', ...shown, '```', '']),
  ];
}

/** The page of a noun. */
const nounPage = ({ noun, summary }, commands) =>
  [`# berth ${noun}`, '', sentence(summary), '', ...commands.flatMap(commandLines)].join('\n');

/** The page of what all commands share, with a link to the page of each noun. */
const indexPage = ({ nouns, globalFlags, exitCodes, settings, variables }) =>
  [
    ...['# Reference', '', 'Made from `berth help --json` by `npm run reference`.', ''],
    ...table(['noun', 'what'], nouns, ({ noun, summary }) => [`[${noun}](${noun}.md)`, cell(summary)]),
    ...section('Flags of every command', ['flag', 'variable', 'what'], globalFlags, (each) => [
      flagCode(each),
      code(each.variable),
      cell(each.summary),
    ]),
    ...section('Exit codes', ['code', 'meaning'], exitCodes, (each) => [String(each.code), cell(each.meaning)]),
    ...section('Settings', ['setting', 'variable', 'default', 'what'], settings, (each) => [
      ...[each.name, each.variable, each.default].map(code),
      cell(each.summary),
    ]),
    ...section('Other variables', ['variable', 'what'], variables, ({ variable, summary }) => [
      code(variable),
      cell(summary),
    ]),
  ].join('\n');

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
const files = new Set([...before.keys(), ...after.keys()]);
const changed = [...files].filter((file) => before.get(file) !== after.get(file));

if (process.argv.includes('--check')) {
  if (changed.length > 0) console.log(`out of date (${changed.join(', ')}): run "npm run reference"`);
  process.exitCode = changed.length > 0 ? 1 : 0;
} else
  for (const file of changed) {
    const text = after.get(file);
    if (text === undefined) rmSync(path.join(root, file));
    else writeFileSync(path.join(root, file), text);
  }
