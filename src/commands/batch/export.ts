import { endingOrFailed, EXPORT_MEMBERS, type ExportedResults, exportResults, writeExport } from '../../batch/index.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words.ts';
import { EXPORT_STATES, type ExportValues, statesOf } from './options.ts';
import { batchPorts } from './ports.ts';
import { describeCounts } from './progress.ts';
import { usage } from '../../core/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { suggestName } from '../../core/text.ts';
import { checkKnownFields, watchFields } from '../../output/fields.ts';
import { type RowFormat, rowTexts } from '../../output/formats/csv.ts';
import type { Result } from '../../output/view.ts';

/** Usage (2), local-file (14) before the first row; a file gets its name when it is complete. */
export async function exportBatch(ctx: CommandContext, values: ExportValues): Promise<Result> {
  const { joinInput, out, force, input } = values;
  const format = formatOf(ctx, values);
  const members = EXPORT_MEMBERS.filter((name) => name !== 'input' || joinInput);
  checkKnownFields(members, ctx.output, suggestName, 'result');
  const ports = await batchPorts(ctx);
  const options = { ...values, input: input === undefined ? [] : [input] };
  const exported = await exportResults(ports, values.results, options);
  const filter = createStatusFilter(values.status);
  const { groups, missing } = watchFields(filter.of(exported.rows), ctx.output);
  const { fields, csvRaw } = ctx.output;
  const onTerminal = out === undefined && ctx.terminal.output;
  const texts = rowTexts(groups, { format, fields, members, csvRaw, onTerminal });
  if (out === undefined) for await (const text of texts) await ctx.stdout.write(text);
  else await writeExport(await ctx.durable(), { name: out, force, batchFiles: exported.files }, texts);
  const wrong = missing().map((path) => safeText(path));
  return {
    kind: 'nothing',
    notes: [
      ...(wrong.length === 0 ? [] : [`--fields: no result has ${wrong.join(', ')}.`]),
      ...notesOf(exported, out, filter.count()),
    ],
  };
}

function createStatusFilter(words: readonly string[]) {
  const states = new Set<string>(statesOf(EXPORT_STATES, words));
  let count = 0;
  function* chosen(rows: Iterable<JsonObject>): Generator<JsonObject> {
    for (const row of rows)
      if (states.has(endingOrFailed(row))) {
        count += 1;
        yield row;
      }
  }
  return {
    of: async function* (groups: AsyncIterable<Iterable<JsonObject>>): AsyncGenerator<Iterable<JsonObject>> {
      for await (const group of groups) yield states.size === 0 ? group : chosen(group);
    },
    /** Undefined when rows are not counted. */
    count: () => (states.size === 0 ? undefined : count),
  };
}

/** Default: JSON lines, also for a table, which may be a setting. Usage (2) for other -o and --jq. */
function formatOf({ output }: CommandContext, { format }: ExportValues): RowFormat {
  const given =
    format ?? (output.format === 'table' || output.format === 'wide' ? undefined : output.format) ?? 'jsonl';
  if (output.jq !== undefined)
    throw usage('an export takes no --jq', 'Name members with --fields, or give its JSON lines to jq in a pipe.');
  if (given !== 'csv' && given !== 'json' && given !== 'jsonl')
    throw usage(`an export has no format ${given}`, 'Use --format csv, json or jsonl.');
  return given;
}

/** Says how many items have no row, so that nobody takes the rows for all items. */
function notesOf({ counts }: ExportedResults, out: string | undefined, chosen?: number): readonly string[] {
  const { unknown, inFlight, waiting } = counts;
  const without = unknown + inFlight + waiting;
  const none = { completed: 0, failed: 0, timedOut: 0, cancelled: 0, expired: 0 };
  return [
    ...(out === undefined ? [] : [`${countOf(chosen ?? counts.planned - without, 'row')} written to ${out}.`]),
    ...(without === 0
      ? []
      : [`${countOf(without, 'item')} without a result: ${describeCounts({ ...counts, ...none })}.`]),
  ];
}
