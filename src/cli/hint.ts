/** Printed commands. `core/message` quotes them and adds the account; a hint is `Run berth pods stop lab`. */
import { berth, type CommandLine, type Message, names, sentence } from '../core/message.ts';
import { pluralOf } from './words.ts';

interface Named {
  readonly noun: string;
  /** The command that lists it, where it is not `NOUNS list`. */
  readonly listed?: string;
}

const nounOf = ({ noun }: Named): string => pluralOf(noun).replaceAll(' ', '-');

/** `berth pods get ID`. */
export const getCommand = (of: Named, id: string): CommandLine => berth`${names(nounOf(of))} get ${id}`;

/** `berth pods list`. */
export const listCommand = (of: Named): CommandLine => berth`${names(of.listed ?? `${nounOf(of)} list`)}`;

/** `and` is a second command that follows the first. */
export const run = (command: CommandLine, and?: CommandLine): Message =>
  and === undefined ? sentence`Run ${command}` : sentence`Run ${command}, then ${and}`;
