import { didYouMean, suggestedCommand } from '../words.ts';
import { type Failure, usage } from '../../core/failure.ts';
import { berth, lines, type Message, names, sentence } from '../../core/message.ts';
import { nearestOf, suggestionOf } from '../../core/text.ts';

/** The first one that the command has is used. */
const FLAG_ALIASES: Readonly<Record<string, readonly string[]>> = {
  body: ['input', 'field'],
  confirm: ['yes'],
  data: ['input', 'field'],
  environment: ['env'],
  filter: ['match'],
  format: ['output'],
  lines: ['tail'],
  location: ['data-center'],
  payload: ['input'],
  region: ['data-center'],
  retry: ['retry-failed', 'retries'],
  volume: ['network-volume'],
};

const DASH_HINT = 'A value that begins with a dash goes after --, or as --flag=VALUE.';
const KEY_HINT = sentence`A key is never given on a command line, where others can read it: ${berth`auth login --with-key`} < FILE`;

const seeHelp = (path: readonly string[]): Message => sentence`See \`${berth`${names(path.join(' '))} --help`}\`.`;

export function unknownCommand(word: string, path: readonly string[], known: readonly string[]): Failure {
  const meant = path.length === 0 ? suggestedCommand(word.toLowerCase()) : undefined;
  const near = meant === undefined ? didYouMean(word, known) : suggestionOf([`berth ${meant}`]);
  return usage(
    `unknown command '${word}'`,
    lines(near, path.length === 0 && near !== undefined ? undefined : seeHelp(path)),
  );
}

/** The message never contains the text after the flag's name, which may be a key. */
export function unknownOption(word: string, path: readonly string[], known: readonly string[]): Failure {
  const name = /^(--[^=\s]*|-[a-z]{0,12}(?![^=])|-.?)/.exec(word)?.[0] ?? '';
  const what = word.startsWith(`${name}=`)
    ? `option '${name}' is unknown, or takes no value`
    : `unknown option '${name}'`;
  const near = name.startsWith('--')
    ? nearestFlags(
        name.slice(2),
        known.map((flag) => flag.slice(2)),
      )
    : flagsOfLetter(name, known);
  return usage(
    what,
    lines(
      suggestionOf(near.map((flag) => `--${flag}`)),
      /key|token|passw|secret/i.test(name) ? KEY_HINT : undefined,
      name.startsWith('--') ? seeHelp(path) : DASH_HINT,
    ),
  );
}

function flagsOfLetter(name: string, known: readonly string[]): readonly string[] {
  const found = known.filter((flag) => name.length === 2 && flag.startsWith(`-${name}`)).map((flag) => flag.slice(2));
  return found.length > 3 ? [] : found.toSorted();
}

export const missingValue = (flag: string, path: readonly string[]): Failure =>
  usage(`option '${flag}' argument missing`, seeHelp(path));

export const tooManyWords = (path: readonly string[], usageLine: string): Failure =>
  usage(`too many arguments for '${path.at(-1) ?? 'berth'}'`, lines(`Usage: ${usageLine}`, seeHelp(path)));

export const otherParseError = (code: string, path: readonly string[]): Failure =>
  usage(`the command line cannot be read (${code})`, seeHelp(path));

/** The nearest; else those with all its words (`workers`: workers-max) or some and no others. */
function nearestFlags(flag: string, known: readonly string[]): readonly string[] {
  const alias = Object.hasOwn(FLAG_ALIASES, flag)
    ? FLAG_ALIASES[flag]?.find((each) => known.includes(each))
    : undefined;
  if (alias !== undefined) return [alias];
  const near = nearestOf(flag, known);
  if (near.length > 0) return near;
  const words = flag.split('-');
  const has = (all: readonly string[], some: readonly string[]): boolean => some.every((word) => all.includes(word));
  const longer = known.filter((each) => has(each.split('-'), words));
  return (longer.length > 0 ? longer : known.filter((each) => has(words, each.split('-')))).toSorted();
}
