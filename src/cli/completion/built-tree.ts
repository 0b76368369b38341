import type { Program } from '../model/command.ts';
import { completionTree, type CompletionTree } from './tree.ts';

/**
 * The completion tree of the program. The build replaces this module by one that returns the tree as data, so that a
 * completion does not load every command (scripts/completion-data.mjs).
 */
export const builtTree = (program: Program): Promise<CompletionTree> => completionTree(program);
