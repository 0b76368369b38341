import type { Command, Group, Program } from '../command.ts';
import type { GlobalFlag } from '../parse/globals.ts';
import { visibleOptions } from '../parse/common-options.ts';
import { flagName } from '../parse/params.ts';

export interface CompletionFlag {
  readonly flag: string;
  readonly short: string | undefined;
  readonly summary: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** A node of the command tree, with the words and flags that can follow it. */
export interface CompletionNode {
  /** Such as `pods get`; empty for the root. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly summary: string }[];
  /** Its own flags; `globals` of the tree has the others. */
  readonly flags: readonly CompletionFlag[];
}

/** The input of a completion script. */
export interface CompletionTree {
  readonly nodes: readonly CompletionNode[];
  /** Flags of every command; a node's own flag of the same name takes precedence. */
  readonly globals: readonly CompletionFlag[];
}

/** Builds the completion tree. Loads the module of every noun. */
export async function completionTree(program: Program): Promise<CompletionTree> {
  const words = program.nouns.map((noun) => ({ word: noun.name, summary: noun.summary }));
  const nodes: CompletionNode[] = [{ path: '', words, flags: [] }];
  for (const noun of program.nouns) nodes.push(...nodesOf([noun.name], await noun.load(program)));
  return { nodes, globals: program.flags.map(globalFlag) };
}

function nodesOf(path: readonly string[], target: Command | Group): readonly CompletionNode[] {
  const here = path.join(' ');
  if (target.kind === 'group') {
    const inner = Object.entries(target.commands);
    const words = inner.map(([word, { summary }]) => ({ word, summary }));
    return [{ path: here, words, flags: [] }, ...inner.flatMap(([word, each]) => nodesOf([...path, word], each))];
  }
  const words = Object.values(target.args).flatMap((param) =>
    (param.choices ?? []).map((word) => ({ word, summary: param.summary })),
  );
  const flags = visibleOptions(target).map(([key, param]) => ({
    flag: flagName(key),
    short: param.short,
    summary: param.summary,
    takesValue: param.metavar !== undefined,
    choices: param.choices ?? [],
  }));
  return [{ path: here, words, flags }];
}

const globalFlag = (flag: GlobalFlag): CompletionFlag => ({
  flag: flag.flag,
  short: flag.short,
  summary: flag.summary,
  takesValue: flag.metavar !== undefined,
  choices: flag.choices ?? [],
});
