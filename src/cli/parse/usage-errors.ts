import { berth, lines, type Message, names, sentence } from '../../core/message.ts';
import { usage, type Failure } from '../../core/failure.ts';
import { nearestOf, suggestionOf } from '../../core/text/nearest.ts';
import { didYouMean } from '../words/suggestions.ts';
import { resolveAlias } from '../words/aliases.ts';
import { ABSENT_COMMANDS, ABSENT_FLAGS, FLAG_ALIASES, ROOT_COMMANDS } from './words-of-other-programs.ts';

/** How to pass a word that begins with a dash: `berth pods get -- -x`. */
const DASH_HINT = 'A value that begins with a dash goes after --, or as --flag=VALUE.';
const KEY_HINT = sentence`A key is never given on a command line, where others can read it: ${berth`auth login --with-key`} < FILE`;

/** `` See `berth pods --help`. `` for the path of a command or a group. */
const seeHelp = (path: readonly string[]): Message => sentence`See \`${berth`${names(path.join(' '))} --help`}\`.`;

/** The usage failure (2) for an unknown noun or verb; `known` are the words that are possible there. */
export function unknownCommand(word: string, path: readonly string[], known: readonly string[]): Failure {
  const lower = word.toLowerCase();
  const absent = absentCommand(lower, path, known);
  if (absent !== undefined) return absent;
  const meant = path.length === 0 && Object.hasOwn(ROOT_COMMANDS, lower) ? ROOT_COMMANDS[lower] : undefined;
  const near = meant === undefined ? didYouMean(word, known) : suggestionOf([`berth ${meant}`]);
  const see = path.length === 0 && near !== undefined ? undefined : seeHelp(path);
  return usage(`unknown command '${word}'`, lines(near, see));
}

/** The usage failure (2) for a command that other nouns have and this one cannot have. */
function absentCommand(word: string, path: readonly string[], known: readonly string[]): Failure | undefined {
  for (const [name, [why, instead, command]] of Object.entries(ABSENT_COMMANDS)) {
    const [noun = '', verb = ''] = name.split(' ');
    if (path.join(' ') === noun && resolveAlias(word, [...known, verb]) === verb)
      return usage(`there is no '${name}': ${why}`, sentence`${instead} ${berth`${names(command)}`}`);
  }
  return undefined;
}

/**
 * The usage failure (2) for an unknown flag; `known` are the long flags of the command. The message never contains the
 * text after the flag's name, which may be a key.
 */
export function unknownOption(word: string, path: readonly string[], known: readonly string[]): Failure {
  const name = /^(--[^=\s]*|-[a-z]{0,12}(?![^=])|-.?)/.exec(word)?.[0] ?? '';
  const absent = ABSENT_FLAGS[[...path, name].join(' ')];
  if (absent !== undefined) {
    const [why, instead, commands] = absent;
    return usage(
      `'${path.join(' ')}' has no ${name}: ${why}`,
      lines(instead, ...commands.map((each) => berth`${names(each)}`)),
    );
  }
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

/** The few known flags, without dashes, that begin with the letter of a short one: `-q` is nothing, and `--quiet` may be meant. */
function flagsOfLetter(name: string, known: readonly string[]): readonly string[] {
  const found = known.filter((flag) => name.length === 2 && flag.startsWith(`-${name}`)).map((flag) => flag.slice(2));
  return found.length > 3 ? [] : found.toSorted();
}

/** The usage failure (2) for a flag without its value at the end of the command line. */
export const missingValue = (flag: string, path: readonly string[]): Failure =>
  usage(`option '${flag}' argument missing`, seeHelp(path));

/** The usage failure (2) for more arguments than a command takes; `usageLine` says how it is written. */
export const tooManyWords = (path: readonly string[], usageLine: string): Failure =>
  usage(`too many arguments for '${path.at(-1) ?? 'berth'}'`, lines(`Usage: ${usageLine}`, seeHelp(path)));

/** The usage failure (2) for another error of the parser, named by its code. */
export const otherParseError = (code: string, path: readonly string[]): Failure =>
  usage(`the command line cannot be read (${code})`, seeHelp(path));

/**
 * The known flags, without dashes, that are nearest to one; else those that have all its words (`workers`: workers-max), or
 * some of them and no others (`gpu-type`: gpu).
 */
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
