import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { type Json, memberAt, stringAt } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words.ts';
import { SET_MARK, variableOf } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';
import type { Account } from './account.ts';
import { costOf, NO_COST } from './cost.ts';
import { FILE_KINDS, KINDS, type KindName } from './kinds.ts';
import type { Planned, Pruning } from './planned.ts';

/** In an environment. Volumes and registries are never pruned. */
export const MARKED_KINDS: readonly KindName[] = KINDS.filter((kind) =>
  Object.values(FILE_KINDS[kind].table.fields).some(({ path }) => path === 'env'),
);

/** 1 to 100 letters, digits and `.`, `_`, `-`: else usage (2). */
export function checkSetName(name: string | undefined): void {
  if (name !== undefined && !/^[\w.-]{1,100}$/.test(name))
    throw usage(`--set-name takes 1 to 100 letters, digits and . _ -, not ${JSON.stringify(name)}`);
}

/** An incomplete list fails and prunes nothing. */
export async function planPruning(
  ctx: CommandContext,
  account: Account,
  planned: readonly Planned[],
  set: string,
): Promise<Pruning> {
  const named = new Set(
    planned.flatMap(({ document, row }) => (row === undefined ? [] : [keyOf(document.kind.name, row)])),
  );
  const removed: Planned[] = [];
  let ofSet = 0;
  for (const name of MARKED_KINDS) {
    const kind = FILE_KINDS[name];
    const marked = (await account.rows(kind)).filter((row) => variableOf(row, SET_MARK) === set);
    ofSet += marked.length;
    for (const row of marked.filter((each) => !named.has(keyOf(name, each)))) {
      // The service would terminate a locked pod: berth does not.
      const isLocked = memberAt(row, 'locked') === true;
      const { before } = await costOf(ctx, name, row, {});
      removed.push({
        document: { kind, name: stringAt(row, 'name') ?? '', id: idOf(row), body: {}, at: () => '' },
        row,
        body: {},
        item: {
          action: isLocked ? 'blocked' : 'delete',
          changes: [],
          notCompared: [],
          ...(isLocked ? { why: 'no file names it any more, and it is locked' } : {}),
        },
        cost: { before, after: isLocked ? before : NO_COST },
      });
    }
  }
  return { removed, ofSet };
}

const keyOf = (kind: KindName, row: Json): string => `${kind} ${idOf(row)}`;

/** More than `most`, or by default more than half of the set. Undefined if allowed. */
export function pruningRefusal({ removed, ofSet }: Pruning, most: number | undefined): Failure | undefined {
  const things = countOf(removed.length, 'thing');
  if (most !== undefined)
    return removed.length <= most
      ? undefined
      : new Failure({
          code: 'limit-exceeded',
          exit: EXIT.limitExceeded,
          message: `--max-prune allows ${String(most)}, and ${things} would be removed: nothing was sent`,
        });
  if (removed.length * 2 <= ofSet) return undefined;
  return new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `${things} of the ${String(ofSet)} of this set would be removed, more than half: nothing was sent`,
    hint: `Are all files there? If they are, allow it: --max-prune ${String(removed.length)}`,
  });
}
