import type { Program } from '../model/command.ts';
import { completionTree, type CompletionTree } from './tree.ts';

/** The build replaces this module by the tree as data, so that completion does not load every command. */
export const builtTree = (program: Program): Promise<CompletionTree> => completionTree(program);
