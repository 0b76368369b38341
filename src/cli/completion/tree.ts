import type { Command, Group, Program } from '../command.ts';
import type { GlobalFlag } from '../globals.ts';
import { kitOptions } from '../kit-options.ts';
import { flagName } from '../params.ts';

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
  readonly flags: readonly CompletionFlag[];
}

/** The whole tree as shells complete it. Loads every noun's module. */
export async function completionTree(program: Program): Promise<readonly CompletionNode[]> {
  const globals = program.flags.map(globalFlag);
  const root: CompletionNode = {
    path: '',
    words: program.nouns.map((noun) => ({ word: noun.name, summary: noun.summary })),
    flags: globals,
  };
  const nodes: CompletionNode[] = [root];
  for (const noun of program.nouns) nodes.push(...nodesOf([noun.name], await noun.load(program), globals));
  return nodes;
}

function nodesOf(
  path: readonly string[],
  target: Command | Group,
  globals: readonly CompletionFlag[],
): readonly CompletionNode[] {
  const here = path.join(' ');
  if (target.kind === 'group') {
    const words = Object.entries(target.commands).map(([word, inner]) => ({ word, summary: inner.summary }));
    return [
      { path: here, words, flags: globals },
      ...Object.entries(target.commands).flatMap(([word, inner]) => nodesOf([...path, word], inner, globals)),
    ];
  }
  const words = Object.values(target.args).flatMap((param) =>
    (param.choices ?? []).map((word) => ({ word, summary: param.summary })),
  );
  const own = Object.entries({ ...target.options, ...kitOptions(target) }).map(([key, param]) => ({
    flag: flagName(key),
    short: param.short,
    summary: param.summary,
    takesValue: param.metavar !== undefined,
    choices: param.choices ?? [],
  }));
  return [
    { path: here, words, flags: [...own, ...globals.filter((flag) => !own.some((each) => each.flag === flag.flag))] },
  ];
}

const globalFlag = (flag: GlobalFlag): CompletionFlag => ({
  flag: flag.flag,
  short: flag.short,
  summary: flag.summary,
  takesValue: flag.metavar !== undefined,
  choices: flag.choices ?? [],
});
