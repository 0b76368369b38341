import { isTableOutput } from '../../output/formats/format-table.ts';
import type { CommandContext } from '../model/context.ts';

/** Whether a table is printed on a terminal. Only then is a total said, so that pipes and logs have rows alone. */
export const isForPerson = ({ terminal, output }: CommandContext): boolean =>
  terminal.output && terminal.errors && isTableOutput(output);
