import { type BatchContents, findContents, readStatus, removeBatch as removeContents } from '../../batch/index.ts';
import type { Confirmation } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words.ts';
import { unlessFailed } from '../../core/failure.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { formatBytes } from '../../core/units.ts';
import type { Result, View } from '../../output/view.ts';

interface RemovalValues {
  readonly batch: string;
}

/** All that a batch has. */
interface Found extends BatchContents {
  /** Items whose jobs may still run; undefined if unreadable. */
  readonly openJobs: number | undefined;
}

/** Finds all that a batch has. Fails with usage (2) while a process works on it, and with local-file (14). */
export async function findBatchFiles(ctx: CommandContext, { batch }: RemovalValues): Promise<Found> {
  const durable = await ctx.durable();
  const found = await findContents(durable, batch);
  const counts = (await unlessFailed(ctx, () => readStatus({ durable }, batch)))?.status.counts;
  return { ...found, openJobs: counts && counts.inFlight + counts.unknown };
}

/** What is shown before the question. */
export function confirmRemoval({ batch }: RemovalValues, { files, openJobs }: Found): Confirmation {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const where = files[0] === undefined ? '' : `, ${formatBytes(bytes)}, from ${folderOf(files[0].address)}`;
  const what = `the batch ${batch} with its results: ${countOf(files.length, 'object')}`;
  const open =
    openJobs === undefined || openJobs === 0
      ? ''
      : ` The results of ${countOf(openJobs, 'job')} that may still run are lost, and the jobs are paid on until they end.`;
  return { rows: { view: filesView, values: rowsOf(files) }, lines: [`This removes ${what}${where}.${open}`] };
}

/** Removes a batch and its results. Fails with usage (2) when its files are not those that were shown, and with local-file (14). */
export async function removeBatch(ctx: CommandContext, { batch }: RemovalValues, found: Found): Promise<Result> {
  const { files } = found;
  if (!ctx.dryRun) await removeContents(await ctx.durable(), found);
  const notes = ctx.dryRun ? [] : [`The batch ${batch} is removed: ${countOf(files.length, 'object')}.`];
  return { kind: 'many', view: filesView, values: rowsOf(files), notes };
}

/** The rows of files that are removed. */
const rowsOf = (files: BatchContents['files']): readonly Json[] =>
  files.map(({ address, bytes }) => ({ address, bytes }));

/** The name of a file without its folder, in which all are. */
const nameOf = (address: string): string => address.slice(address.lastIndexOf('/') + 1);

const folderOf = (address: string): string => address.slice(0, Math.max(0, address.lastIndexOf('/'))) || 'this folder';

const filesView: View = {
  noun: ['object', 'objects'],
  id: (row) => stringAt(row, 'address') ?? '',
  columns: [
    { header: 'NAME', show: (row) => nameOf(stringAt(row, 'address') ?? ''), cutLast: true },
    { header: 'SIZE', show: (row) => formatBytes(numberAt(row, 'bytes') ?? 0), right: true },
  ],
};
