/** Lays out what `berth help --json` prints as Markdown: one page for each noun, and one for what all commands share. */

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
export const nounPage = ({ noun, summary }, commands) =>
  [`# berth ${noun}`, '', sentence(summary), '', ...commands.flatMap(commandLines)].join('\n');

/** The page of what all commands share, with a link to the page of each noun. */
export const indexPage = ({ nouns, globalFlags, exitCodes, settings, variables }) =>
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
