import { type Command, type Group, type Program, shownVerbs, visibleOptions } from '../model/command.ts';
import type { GlobalFlag } from '../model/global-flags.ts';
import { flagName, type Param } from '../model/params.ts';
import { type Completes, type ListSource, type LocalSource } from '../model/collection.ts';

export interface CompletionValue {
  readonly summary: string;
  readonly choices?: readonly string[] | undefined;
  /** By the word of the argument before. */
  readonly choicesAfter?: Readonly<Record<string, readonly string[]>> | undefined;
  /** After `list:` the key of one of the tree's lists. */
  readonly source?: LocalSource | 'fields' | `list:${string}` | undefined;
  readonly commas?: boolean | undefined;
  readonly many?: boolean | undefined;
}

export interface CompletionFlag {
  readonly flag: string;
  readonly short?: string | undefined;
  readonly summary: string;
  readonly value?: CompletionValue | undefined;
}

export interface CompletionNode {
  readonly words: readonly { readonly word: string; readonly summary: string }[];
  readonly args: readonly CompletionValue[];
  readonly flags: readonly CompletionFlag[];
  readonly fields?: readonly string[] | undefined;
}

/** Plain data: made by the build and loaded as one file. */
export interface CompletionTree {
  /** By path, such as `pods get`; the root has an empty path. */
  readonly nodes: Readonly<Record<string, CompletionNode>>;
  /** A node's own flag of the same name takes precedence. */
  readonly globals: readonly CompletionFlag[];
  /** By noun. */
  readonly lists: Readonly<Record<string, ListSource>>;
}

/** Loads the module of every noun. */
export async function completionTree(program: Program): Promise<CompletionTree> {
  const words = program.nouns.map(({ name, summary }) => ({ word: name, summary }));
  const nodes: Record<string, CompletionNode> = { '': { words, args: [], flags: [] } };
  const lists: Record<string, ListSource> = {};

  const valueOf = (param: Param<unknown>): CompletionValue => ({
    summary: param.summary,
    choices: param.choices,
    choicesAfter: param.choicesAfter,
    source: param.complete && sourceOf(param.complete),
    commas: param.commas,
    many: param.many ? true : undefined,
  });
  const sourceOf = (complete: Completes): NonNullable<CompletionValue['source']> => {
    if (typeof complete === 'string') return complete;
    const { noun, path, member, lookupQuery, value, described, idsOnly } = complete;
    if (String(lists[noun]?.path ?? path) !== String(path)) throw new Error(`two lists have the noun ${noun}`);
    lists[noun] = { path, member, lookupQuery, value, described, idsOnly };
    return `list:${noun}`;
  };
  const add = (path: readonly string[], target: Command | Group): void => {
    if (target.kind === 'group') {
      nodes[path.join(' ')] = {
        words: shownVerbs(target).map(([word, { summary }]) => ({ word, summary })),
        args: [],
        flags: [],
      };
      for (const [word, each] of Object.entries(target.commands)) add([...path, word], each);
      return;
    }
    nodes[path.join(' ')] = {
      words: [],
      args: Object.values(target.args)
        .filter(({ afterDashes }) => afterDashes !== true)
        .map(valueOf),
      flags: visibleOptions(target).map(([key, param]) => ({
        flag: flagName(key),
        short: param.short,
        summary: param.summary,
        value: param.metavar === undefined ? undefined : valueOf(param),
      })),
      fields: target.fields,
    };
  };
  for (const noun of program.nouns) add([noun.name], await noun.load(program));
  return { nodes, globals: program.flags.map(globalFlag), lists };
}

const globalFlag = ({ flag, short, summary, metavar, choices, complete, commas }: GlobalFlag): CompletionFlag => ({
  flag,
  short,
  summary,
  value: metavar === undefined ? undefined : { summary, choices, source: complete, commas },
});
