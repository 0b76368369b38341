import type { Command, Group, Noun } from '../command.ts';
import type { GlobalFlag } from '../parse/globals.ts';
import { visibleOptions } from '../parse/common-options.ts';
import { argumentName, flagName, type Param } from '../parse/params.ts';

/** The width of help in columns, on wider terminals too. */
const WIDTH = 80;
const GUTTER = 2;

type Row = readonly [string, string];

/** The topics of `berth help`, which concern several commands. Their texts are in commands/help/topics.ts. */
export const HELP_TOPICS = [
  ['flags', 'flags every command takes'],
  ['exit-codes', 'exit codes and what they mean'],
  ['environment', 'variables, settings and their order'],
  ['output', 'formats, fields, jq, colour, pipes'],
  ['selectors', 'act on many: patterns, status, age'],
] as const satisfies readonly Row[];

export type TopicName = (typeof HELP_TOPICS)[number][0];

/** `berth --help`: all nouns with their summaries. Needs only the registry. */
export function rootHelp(nouns: readonly Noun[]): string {
  const sections = [...new Set(nouns.map((noun) => noun.section))];
  return page([
    'berth: pods, serverless jobs and network volumes from the command line',
    'Usage: berth [FLAGS] NOUN VERB [ARGUMENTS] [FLAGS]',
    ...sections.map((section) =>
      table(
        section,
        nouns.filter((noun) => noun.section === section).map((noun) => [noun.name, noun.summary]),
      ),
    ),
    table('More help', [
      ['berth NOUN --help', 'its verbs'],
      ['berth NOUN VERB --help', 'its arguments, flags and examples'],
      ...HELP_TOPICS.map(([name, summary]): Row => [`berth help ${name}`, summary]),
    ]),
    'No account is needed to try it:\n  berth --local pods list',
  ]);
}

/** `berth pods --help`: the verbs of a group. */
export function groupHelp(path: readonly string[], group: Group): string {
  const rows = Object.entries(group.commands).map(([name, inner]): Row => [signature([name], inner), inner.summary]);
  return page([
    paragraphs(`berth ${path.join(' ')}: ${group.summary}`),
    `Usage: berth ${path.join(' ')} VERB [ARGUMENTS] [FLAGS]`,
    paragraphs(group.details),
    table('Verbs', rows),
    `See \`berth ${path.join(' ')} VERB --help\` for the flags of a verb.`,
  ]);
}

/** `berth pods get --help`: the arguments, flags and examples of a command. */
export function commandHelp(path: readonly string[], command: Command): string {
  const args = Object.entries(command.args).map(([key, param]): Row => [argumentName(key, param), withChoices(param)]);
  const flags = visibleOptions(command).map(([key, param]): Row => [
    flagSignature(key, param),
    withChoices(param) + initialText(param),
  ]);
  return page([
    paragraphs(`berth ${path.join(' ')}: ${command.summary}`),
    `Usage: berth ${signature(path, command)}${flags.length > 0 ? ' [FLAGS]' : ''}`,
    paragraphs(command.details),
    table('Arguments', args),
    table('Flags', flags),
    examples(command.examples),
    'Flags every command takes: `berth help flags`.',
  ]);
}

/** `berth help flags`: the flags of every command. */
export const flagsHelp = (flags: readonly GlobalFlag[]): string =>
  page([
    table(
      'Flags every command takes, before or after its noun',
      flags.map((flag): Row => [
        `${flag.short === undefined ? '    ' : `${flag.short}, `}${flag.flag}${flag.metavar === undefined ? '' : ` ${flag.metavar}`}`,
        flag.summary,
      ]),
    ),
  ]);

/** A table with a title and two columns, the second one wrapped; undefined without rows. */
export function table(title: string, rows: readonly Row[]): string | undefined {
  if (rows.length === 0) return undefined;
  const left = Math.min(34, Math.max(...rows.map(([name]) => name.length)));
  const margin = ' '.repeat(GUTTER + left + GUTTER);
  const lines = rows.map(([name, text]) => {
    const wrapped = wrap(text, WIDTH - margin.length);
    const head =
      name.length > left
        ? `${' '.repeat(GUTTER)}${name}\n${margin}`
        : `${' '.repeat(GUTTER)}${name.padEnd(left + GUTTER)}`;
    return (head + wrapped.join(`\n${margin}`)).trimEnd();
  });
  return `${title}\n${lines.join('\n')}`;
}

/** Wraps text at spaces; its own line breaks are kept. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    return [...lines, line];
  });
}

/** A command with its arguments: `pods get POD`, `jobs wait ENDPOINT JOB...`. */
export function signature(path: readonly string[], target: Command | Group): string {
  if (target.kind === 'group') return path.join(' ');
  const words = Object.entries(target.args).map(([key, param]) => {
    const name = argumentName(key, param) + (param.many ? '...' : '');
    return param.required && param.unless === undefined ? name : `[${name}]`;
  });
  return [...path, ...words].join(' ');
}

const flagSignature = (key: string, param: Param<unknown>): string =>
  `${param.short === undefined ? '    ' : `${param.short}, `}${flagName(key)}${param.metavar === undefined ? '' : ` ${param.metavar}`}`;

function withChoices(param: Param<unknown>): string {
  const hidden = param.choices === undefined || param.metavar === param.choices.join('|');
  return (
    param.summary +
    (hidden ? '' : ` (${(param.choices ?? []).join(', ')})`) +
    (param.required && param.kind === 'flag' ? ' (required)' : '')
  );
}

const initialText = (param: Param<unknown>): string => {
  const text =
    param.initialText ??
    (typeof param.initial === 'string' || typeof param.initial === 'number' ? String(param.initial) : undefined);
  return text === undefined ? '' : ` (default ${text})`;
};

const examples = (rows: Command['examples']): string | undefined =>
  rows.length === 0 ? undefined : `Examples\n${rows.map(([line, what]) => `  ${line}\n      ${what}`).join('\n')}`;

const paragraphs = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : wrap(text, WIDTH).join('\n');

const page = (blocks: readonly (string | undefined)[]): string =>
  `${blocks.filter((block) => block !== undefined).join('\n\n')}\n`;
