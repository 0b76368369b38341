/** Lays out what `berth help --json` prints as Markdown: one page for each noun, and one for what all commands share. */

/** Text for a paragraph or a cell: characters that Markdown would read as markup are escaped, but not inside `code`. */
const plain = (text) =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/[\\*_<>|[\]]/g, '\\$&')))
    .join('');
const cell = (text) => plain(text).replaceAll('\n', ' ');
const code = (text) => `\`${text.replaceAll('|', '\\|')}\``;

const table = (heads, rows) => [
  `| ${heads.join(' | ')} |`,
  `| ${heads.map(() => '---').join(' | ')} |`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
];

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
function valueText({ type, required, repeatable, choices, default: fallback, onlyWithOneOf }) {
  return [
    choices === undefined ? type : choices.map(code).join(', '),
    fallback === undefined ? undefined : `default ${code(String(fallback))}`,
    required ? 'required' : undefined,
    repeatable ? 'repeatable' : undefined,
    onlyWithOneOf === undefined ? undefined : `with ${onlyWithOneOf.map(code).join(' or ')}`,
  ]
    .filter(Boolean)
    .join('; ');
}

function usageOf({ command, arguments: args, flags, flagsFirst = false }) {
  const wordsOf = (some) =>
    some.map(({ name, required, repeatable }) => {
      const word = name + (repeatable && !name.endsWith('...') ? '...' : '');
      return required ? word : `[${word}]`;
    });
  const words = wordsOf(args.filter(({ afterDashes }) => afterDashes !== true));
  const more = flags.length === 0 ? [] : ['[FLAGS]'];
  const last = wordsOf(args.filter(({ afterDashes }) => afterDashes === true));
  return ['berth', command, ...(flagsFirst ? [...more, ...words] : [...words, ...more]), ...last].join(' ');
}

function commandLines(described, heading) {
  const { command, summary, details, arguments: args, flags, fields, examples } = described;
  const flagText = ({ flag, short }) => code(short === undefined ? flag : `${short}, ${flag}`);
  return [
    `${heading} berth ${command}`,
    '',
    `${plain(summary[0].toUpperCase() + summary.slice(1))}.`,
    '',
    '```text',
    usageOf(described),
    '```',
    '',
    ...(details === undefined ? [] : [plain(details), '']),
    ...effects(described),
    ...(args.length === 0
      ? []
      : [
          ...table(
            ['argument', 'what', 'value'],
            args.map((each) => [code(each.name), cell(each.summary), valueText(each)]),
          ),
          '',
        ]),
    ...(flags.length === 0
      ? []
      : [
          ...table(
            ['flag', 'what', 'value'],
            flags.map((each) => [flagText(each), cell(each.summary), valueText(each)]),
          ),
          '',
        ]),
    ...(fields === undefined ? [] : [`Members of a row, for \`--fields\`: ${fields.map(code).join(', ')}.`, '']),
    ...(examples.length === 0
      ? []
      : ['```sh', ...examples.flatMap(({ command: line, meaning }) => [`# ${meaning}`, line]), '```', '']),
  ];
}

/** The page of a noun. */
export const nounPage = ({ noun, summary }, commands) =>
  [
    `# berth ${noun}`,
    '',
    `${plain(summary[0].toUpperCase() + summary.slice(1))}.`,
    '',
    ...commands.flatMap((each) => commandLines(each, '##')),
  ].join('\n');

/** The page of what all commands share, with a link to the page of each noun. */
export function indexPage({ nouns, globalFlags, exitCodes, settings, variables }) {
  return [
    '# Reference',
    '',
    'Made from `berth help --json` by `npm run reference`.',
    '',
    ...table(
      ['noun', 'what'],
      nouns.map(({ noun, summary }) => [`[${noun}](${noun}.md)`, cell(summary)]),
    ),
    '',
    '## Flags of every command',
    '',
    ...table(
      ['flag', 'variable', 'what'],
      globalFlags.map(({ flag, short, variable, summary }) => [
        code(short === undefined ? flag : `${short}, ${flag}`),
        variable === undefined ? '' : code(variable),
        cell(summary),
      ]),
    ),
    '',
    '## Exit codes',
    '',
    ...table(
      ['code', 'meaning'],
      exitCodes.map(({ code: number, meaning }) => [String(number), cell(meaning)]),
    ),
    '',
    '## Settings',
    '',
    ...table(
      ['setting', 'variable', 'default', 'what'],
      settings.map(({ name, variable, default: fallback, summary }) => [
        code(name),
        variable === undefined ? '' : code(variable),
        fallback === undefined ? '' : code(fallback),
        cell(summary),
      ]),
    ),
    '',
    '## Other variables',
    '',
    ...table(
      ['variable', 'what'],
      variables.map(({ variable, summary }) => [code(variable), cell(summary)]),
    ),
    '',
  ].join('\n');
}
