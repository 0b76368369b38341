import { loadNouns, type Program } from '../model/command.ts';
import type { CompletionTree } from './complete.ts';

/** The build replaces this module by the tree as data, so that completion does not load every command. */
export const builtTree = async (program: Program): Promise<CompletionTree> => ({
  root: await loadNouns(program),
  globals: program.flags,
});
