import { refuse, type StoredFile } from '../../../batch/index.ts';
import { allowedAccess, requireAccess } from '../../../core/access.ts';
import type { Confirmation } from '../../../cli/model/command.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { countOf } from '../../../cli/words/words.ts';
import type { Result } from '../../../output/view.ts';
import { filesView, folderOf, rowsOf } from './view/files-view.ts';
import { kindOf, withStore, type StoreValues } from './store/store.ts';

type CleanValues = StoreValues & { readonly batch: string };

/** Finds what no part of the batch is. Fails with denied (3) when the profile may not destroy, and as the store does. */
export async function findUnpublished(ctx: CommandContext, values: CleanValues): Promise<readonly StoredFile[]> {
  requireAccess('full', allowedAccess(ctx.settings));
  refuse(kindOf(ctx, values), 'sharing', 'batch clean');
  return await withStore(ctx, values, { access: 'read' }, async ({ store }) =>
    (await store.open(values.batch)).leftovers(),
  );
}

/** What is shown before the question; undefined when there is nothing to remove. */
export function confirmCleaning(found: readonly StoredFile[]): Confirmation | undefined {
  const [first] = found;
  if (first === undefined) return undefined;
  return {
    rows: { view: filesView, values: rowsOf(found) },
    lines: [`This removes ${countOf(found.length, 'object')} from ${folderOf(first.address)}.`],
  };
}

/** Removes what was found, except what a driver may publish after all. */
export async function cleanBatch(
  ctx: CommandContext,
  values: CleanValues,
  found: readonly StoredFile[],
): Promise<Result> {
  if (ctx.dryRun) return { kind: 'many', view: filesView, values: rowsOf(found) };
  const removed = await withStore(ctx, values, { access: 'read' }, async ({ store }) =>
    (await store.open(values.batch)).clean(found),
  );
  return {
    kind: 'many',
    view: filesView,
    values: rowsOf(removed),
    notes: [removed.length === 0 ? 'No part is left over.' : `${countOf(removed.length, 'object')} removed.`],
  };
}
