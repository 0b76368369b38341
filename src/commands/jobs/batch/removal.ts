import { refuse, type StoredFile } from '../../../batch/index.ts';
import { unlessFailed } from '../../../core/failure.ts';
import { formatBytes } from '../../../core/units.ts';
import type { Confirmation } from '../../../cli/model/command.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { countOf } from '../../../cli/words/words.ts';
import type { Result, View } from '../../../output/view.ts';
import { kindOf, withBatch, type StoreValues } from './store/store.ts';
import { numberAt, stringAt, type Json } from '../../../core/json.ts';

type RemovalValues = StoreValues & { readonly batch: string };
type Files = readonly StoredFile[];

/** Finds what no part of the batch is. Fails as the store does. */
export async function findUnpublished(ctx: CommandContext, values: RemovalValues): Promise<Files> {
  refuse(kindOf(ctx, values), 'sharing', 'batch clean');
  return await withBatch(ctx, values, values.batch, async ({ sharing }) => (await sharing?.leftovers()) ?? []);
}

/** All that a batch has. */
interface Contents {
  readonly files: Files;
  /** The items whose jobs may still run; undefined where the batch cannot be read. */
  readonly openJobs: number | undefined;
}

/** Finds all that a batch has. Fails as the store does. */
export async function findContents(ctx: CommandContext, values: RemovalValues): Promise<Contents> {
  return await withBatch(ctx, values, values.batch, async (batch) => {
    const files = await batch.contents();
    const status = await unlessFailed(ctx, () => batch.status());
    return { files, openJobs: status === undefined ? undefined : status.counts.inFlight + status.counts.unknown };
  });
}

const confirmation = (found: Files, line: string): Confirmation => ({
  rows: { view: filesView, values: rowsOf(found) },
  lines: [line],
});

/** What is shown before the question of `clean`; undefined when there is nothing to remove. */
export const confirmCleaning = (found: Files): Confirmation | undefined =>
  found[0] === undefined
    ? undefined
    : confirmation(found, `This removes ${countOf(found.length, 'object')} from ${folderOf(found[0].address)}.`);

/** What is shown before the question of `remove`. */
export function confirmRemoval({ batch }: RemovalValues, { files, openJobs }: Contents): Confirmation {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const where = files[0] === undefined ? '' : `, ${formatBytes(bytes)}, from ${folderOf(files[0].address)}`;
  const what = `the batch ${batch} with its results: ${countOf(files.length, 'object')}`;
  const open =
    openJobs === undefined || openJobs === 0
      ? ''
      : ` The results of ${countOf(openJobs, 'job')} that may still run are lost, and the jobs are paid on until they end.`;
  return confirmation(files, `This removes ${what}${where}.${open}`);
}

const removed = (files: Files, ...notes: readonly string[]): Result => ({
  kind: 'many',
  view: filesView,
  values: rowsOf(files),
  notes,
});

/** Removes what was found, except what a driver may publish after all. */
export async function cleanBatch(ctx: CommandContext, values: RemovalValues, found: Files): Promise<Result> {
  if (ctx.dryRun) return removed(found);
  const gone = await withBatch(ctx, values, values.batch, async ({ sharing }) => (await sharing?.clean(found)) ?? []);
  return removed(gone, gone.length === 0 ? 'No part is left over.' : `${countOf(gone.length, 'object')} removed.`);
}

/** Removes a batch and its results. Fails with usage (2) while a driver works on it, and as the store does. */
export async function removeBatch(ctx: CommandContext, values: RemovalValues, { files }: Contents): Promise<Result> {
  if (ctx.dryRun) return removed(files);
  await withBatch(ctx, values, values.batch, (batch) => batch.remove(files));
  return removed(files, `The batch ${values.batch} is removed: ${countOf(files.length, 'object')}.`);
}

/** The rows of files that are removed. */
const rowsOf = (found: readonly StoredFile[]): readonly Json[] =>
  found.map(({ address, bytes }) => ({ address, bytes }));

/** The name of an object without its folder, in which all are. */
const nameOf = (address: string): string => address.slice(address.lastIndexOf('/') + 1);

const folderOf = (address: string): string => address.slice(0, Math.max(0, address.lastIndexOf('/'))) || 'this folder';

/** Files of a batch: those that are about to be removed, and those that were. */
const filesView: View = {
  noun: ['object', 'objects'],
  id: (row) => stringAt(row, 'address') ?? '',
  columns: [
    { header: 'NAME', show: (row) => nameOf(stringAt(row, 'address') ?? ''), cutLast: true },
    { header: 'SIZE', show: (row) => formatBytes(numberAt(row, 'bytes') ?? 0), right: true },
  ],
};
