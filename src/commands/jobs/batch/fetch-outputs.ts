import { exportResults, fetchOutputs, type FetchSummary } from '../../../batch/index.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { usage } from '../../../core/failure.ts';
import { type JsonObject, stringAt } from '../../../core/json.ts';
import { safeText } from '../../../core/safe-text.ts';
import { formatBytes } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { countOf } from '../../../cli/words/words.ts';
import { text } from '../../../output/cells/cell-functions.ts';
import type { Result, View } from '../../../output/view.ts';
import type { ExportValues } from './options/flags.ts';
import { withBatch } from './store/store.ts';

const GB = 1_000_000_000;
/** Failures that are told one by one; all are in the JSON. */
const MAX_TOLD = 20;

/**
 * Downloads the files that outputs of a batch name. Fails with usage (2) and local-file (14) before the first request; the
 * exit code is 13 when some files were not downloaded, and 15 when the limit of --max-total was reached.
 */
export async function fetchBatchOutputs(ctx: CommandContext, values: ExportValues): Promise<Result> {
  const { into, fetchOutputs: field = '', fetchFrom: hosts, maxSize = 5, maxTotal, atOnce = 8 } = values;
  if (into === undefined) throw usage('--fetch-outputs needs a folder for the files', 'Name it: --into DIR.');
  if (values.format !== undefined || values.out !== undefined || values.joinInput)
    throw usage(
      '--fetch-outputs writes files, and no rows: --format, --out and --join-input do not go with it',
      'Export the rows by a command of their own.',
    );
  return await withBatch(ctx, values, values.results, async (batch, { ports }) => {
    const { rows } = await exportResults(ports, batch, { joinInput: false, ordered: false, input: [] });
    const progress = ctx.progress('fetching the files of outputs');
    try {
      const downloads = await ctx.downloads();
      const summary = await fetchOutputs(
        { ...ports, downloads },
        {
          ...{ rows: () => rows, field, into, hosts, concurrency: atOnce },
          maxBytes: maxSize * GB,
          maxTotalBytes: maxTotal === undefined ? undefined : maxTotal * GB,
          onProgress: ({ files, failed, bytes }) => {
            progress.update(
              `fetched ${countOf(files, 'file')}, ${formatBytes(bytes)}${failed > 0 ? `, ${failed} failed` : ''}`,
            );
          },
        },
      );
      return resultOf(summary, into);
    } finally {
      await progress.stop();
    }
  });
}

function resultOf({ failures, isOverTotal, ...counts }: FetchSummary, into: string): Result {
  const value: JsonObject = { into, ...counts, failures: failures.map((failure) => ({ ...failure })) };
  return {
    kind: 'one',
    view: fetchView,
    value,
    exit: isOverTotal ? EXIT.limitExceeded : counts.failed > 0 ? EXIT.batchIncomplete : EXIT.done,
    notes: [
      ...failures
        .slice(0, MAX_TOLD)
        .map(({ item, address, reason }) => `item ${item}, ${safeText(address)}: ${safeText(reason)}`),
      ...(counts.failed > MAX_TOLD ? [`and ${counts.failed - MAX_TOLD} more`] : []),
      ...(counts.failed > 0 ? ['Run it again for those that are missing; what was downloaded stays.'] : []),
    ],
  };
}

const COUNTS = ['files', 'downloaded', 'existing', 'failed', 'bytes'] as const;

const fetchView: View = {
  noun: ['download', 'downloads'],
  id: (row) => stringAt(row, 'into') ?? '',
  columns: COUNTS.map((name) => ({ header: name.toUpperCase(), show: text(name), right: true })),
  detail: (row) => [{ lines: ['into', ...COUNTS].map((name) => ({ label: name, value: text(name)(row) })) }],
};
