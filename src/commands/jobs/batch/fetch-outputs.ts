import { exportResults, fetchOutputs, type FetchSummary } from '../../../batch/index.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { usage } from '../../../core/failure.ts';
import { memberAt, stringOf, type JsonObject } from '../../../core/json.ts';
import { safeText } from '../../../core/safe-text.ts';
import { formatBytes } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/context.ts';
import type { ValuesOf } from '../../../cli/parse/params.ts';
import { countOf } from '../../../cli/words.ts';
import { text } from '../../../output/layout/cell-functions.ts';
import type { Result, View } from '../../../output/view.ts';
import type { fetchOptions } from './fetch-flags.ts';

export interface FetchValues extends ValuesOf<typeof fetchOptions> {
  readonly results: string;
  readonly format: string | undefined;
  readonly out: string | undefined;
  readonly joinInput: boolean;
}

const GB = 1_000_000_000;
/** Failures that are told one by one; all are in the JSON. */
const MAX_TOLD = 20;

/**
 * Downloads the files that outputs of a batch name. Fails with usage (2) and local-file (14) before the first request; the
 * exit code is 13 when some files were not downloaded.
 */
export async function fetchBatchOutputs(ctx: CommandContext, values: FetchValues): Promise<Result> {
  const { fetchOutputs: field = '', into, fetchFrom, maxSize = 5, atOnce = 8 } = values;
  if (into === undefined) throw usage('--fetch-outputs needs a folder for the files', 'Name it: --into DIR.');
  if (values.format !== undefined || values.out !== undefined || values.joinInput)
    throw usage(
      '--fetch-outputs writes files, and no rows: --format, --out and --join-input do not go with it',
      'Export the rows by a command of their own.',
    );
  const durable = await ctx.durable();
  const exported = await exportResults(durable, {
    results: values.results,
    input: undefined,
    joinInput: false,
    ordered: false,
    signal: ctx.signal,
    storage: () => ctx.storage(),
  });
  const progress = ctx.progress('files');
  try {
    const summary = await fetchOutputs(
      { durable, downloads: await ctx.downloads(), clock: ctx.clock, signal: ctx.signal },
      {
        rows: exported.rows,
        field,
        into,
        hosts: fetchFrom,
        maxBytes: maxSize * GB,
        concurrency: atOnce,
        onProgress: ({ files, failed, bytes }) => {
          progress.update(
            `${countOf(files, 'file')}, ${formatBytes(bytes)}${failed > 0 ? `, ${String(failed)} failed` : ''}`,
          );
        },
      },
    );
    return resultOf(summary, into);
  } finally {
    await progress.stop();
  }
}

function resultOf({ failures, ...counts }: FetchSummary, into: string): Result {
  const value: JsonObject = { into, ...counts, failures: failures.map((failure) => ({ ...failure })) };
  return {
    kind: 'one',
    view: fetchView,
    value,
    exit: counts.failed > 0 ? EXIT.batchIncomplete : EXIT.done,
    notes: [
      ...failures
        .slice(0, MAX_TOLD)
        .map(({ item, address, reason }) => `item ${String(item)}, ${safeText(address)}: ${safeText(reason)}`),
      ...(counts.failed > MAX_TOLD ? [`and ${String(counts.failed - MAX_TOLD)} more`] : []),
      ...(counts.failed > 0 ? ['Run it again for those that are missing; what was downloaded stays.'] : []),
    ],
  };
}

const COUNTS = ['files', 'downloaded', 'existing', 'failed', 'bytes'] as const;

const fetchView: View = {
  noun: ['download', 'downloads'],
  id: (row) => stringOf(memberAt(row, 'into')) ?? '',
  columns: COUNTS.map((name) => ({ header: name.toUpperCase(), show: text(name), right: true })),
  detail: (row) => [{ lines: ['into', ...COUNTS].map((name) => ({ label: name, value: text(name)(row) })) }],
};
