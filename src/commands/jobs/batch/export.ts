import { EXPORT_MEMBERS, exportResults, writeExport, type ExportedResults } from '../../../batch/index.ts';
import { usage } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { countOf } from '../../../cli/words.ts';
import { rowTexts, type RowFormat } from '../../../output/formats/row-texts.ts';
import type { Result } from '../../../output/view.ts';
import { describeCounts } from './progress.ts';

export interface ExportValues {
  readonly results: string;
  readonly format: string | undefined;
  readonly input: string | undefined;
  readonly joinInput: boolean;
  readonly ordered: boolean;
  readonly out: string | undefined;
  readonly s3Endpoint: string | undefined;
}

/**
 * Writes the results that a batch has to stdout or to a file. Fails with usage (2) and local-file (14) before the first
 * row; a file takes its name when it is complete.
 */
export async function exportBatch(ctx: CommandContext, values: ExportValues): Promise<Result> {
  const { joinInput, out } = values;
  const durable = await ctx.durable();
  const exported = await exportResults(durable, {
    ...values,
    signal: ctx.signal,
    storage: () => ctx.storage({ s3Endpoint: values.s3Endpoint }),
  });
  const texts = rowTexts(exported.rows, {
    format: formatOf(ctx, values.format),
    fields: ctx.output.fields,
    members: EXPORT_MEMBERS.filter((name) => name !== 'input' || joinInput),
    onTerminal: out === undefined && ctx.terminal.output,
  });
  if (out === undefined) for await (const text of texts) await ctx.stdout.write(text);
  else await writeExport(durable, out, exported.files, texts);
  return { kind: 'nothing', notes: notesOf(exported, out) };
}

/**
 * Returns the format of --format or -o; JSON lines for a table, which may come from a setting. Fails with usage (2) for
 * another format of -o, and for --jq.
 */
function formatOf({ output }: CommandContext, format: string | undefined): RowFormat {
  const given =
    format ?? (output.format === 'table' || output.format === 'wide' ? undefined : output.format) ?? 'jsonl';
  if (output.jq !== undefined)
    throw usage('an export takes no --jq', 'Name members with --fields, or pipe it: berth jobs batch export R | jq');
  if (given !== 'csv' && given !== 'json' && given !== 'jsonl')
    throw usage(`an export has no format ${given}`, 'Use --format csv, json or jsonl.');
  return given;
}

/** Items without a row are told, so that nobody takes the rows for all items. */
function notesOf({ counts }: ExportedResults, out: string | undefined): readonly string[] {
  const { unknown, inFlight, waiting } = counts;
  const without = unknown + inFlight + waiting;
  const none = { completed: 0, failed: 0, timedOut: 0, cancelled: 0, expired: 0 };
  return [
    ...(out === undefined ? [] : [`${countOf(counts.planned - without, 'row')} written to ${out}.`]),
    ...(without === 0
      ? []
      : [`${countOf(without, 'item')} without a result: ${describeCounts({ ...counts, ...none })}.`]),
  ];
}
