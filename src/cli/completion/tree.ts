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

/** One place in the command tree: what can follow it. */
export interface CompletionNode {
  /** `pods get`; empty for the root. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly summary: string }[];
  /** Its own; see `globals` for those of every place. */
  readonly flags: readonly CompletionFlag[];
}

/** All that a shell needs to know. */
export interface CompletionTree {
  readonly nodes: readonly CompletionNode[];
  /** Flags that can stand anywhere; a node's own flag of the same name comes first. */
  readonly globals: readonly CompletionFlag[];
}

/** The whole tree as shells complete it. Loads every noun's module. */
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
