import type { StoredFile } from '../../../batch/index.ts';
import { allowedAccess, requireAccess } from '../../../core/access.ts';
import { formatBytes } from '../../../core/units.ts';
import type { Confirmation } from '../../../cli/model/command.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { countOf } from '../../../cli/words/words.ts';
import type { Result } from '../../../output/view.ts';
import { filesView, folderOf, rowsOf } from './view/files-view.ts';
import { withStore, type StoreValues } from './store/store.ts';

type RemoveValues = StoreValues & { readonly batch: string };

/** Finds all that a batch has. Fails with denied (3) when the profile may not destroy, and as the store does. */
export async function findContents(ctx: CommandContext, values: RemoveValues): Promise<readonly StoredFile[]> {
  requireAccess('full', allowedAccess(ctx.settings));
  return await withStore(ctx, values, { access: 'read' }, async ({ store }) =>
    (await store.open(values.batch)).contents(),
  );
}

/** What is shown before the question. */
export function confirmRemoval({ batch }: RemoveValues, contents: readonly StoredFile[]): Confirmation {
  const bytes = contents.reduce((sum, file) => sum + file.bytes, 0);
  const [first] = contents;
  const where = first === undefined ? '' : `, ${formatBytes(bytes)}, from ${folderOf(first.address)}`;
  return {
    rows: { view: filesView, values: rowsOf(contents) },
    lines: [`This removes the batch ${batch} with its results: ${countOf(contents.length, 'object')}${where}.`],
  };
}

/** Removes a batch and its results. Fails with usage (2) while a driver works on it, and as the store does. */
export async function removeBatch(
  ctx: CommandContext,
  values: RemoveValues,
  contents: readonly StoredFile[],
): Promise<Result> {
  if (ctx.dryRun) return { kind: 'many', view: filesView, values: rowsOf(contents) };
  await withStore(ctx, values, { access: 'read' }, async ({ store }) => {
    await (await store.open(values.batch)).remove(contents);
  });
  return {
    kind: 'many',
    view: filesView,
    values: rowsOf(contents),
    notes: [`The batch ${values.batch} is removed: ${countOf(contents.length, 'object')}.`],
  };
}
