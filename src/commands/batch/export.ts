import type { ItemCounts } from '../../batch/index.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { option } from '../../cli/model/params.ts';
import { countOf } from '../../cli/words.ts';
import { missingShards, RESUBMIT_STATES, resultsArg, statesOf } from './options.ts';
import { BATCH_EXPORT } from './schemas.ts';
import { usage } from '../../core/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { suggestName } from '../../core/text.ts';
import { checkKnownFields, missingFields } from '../../output/fields.ts';
import { type RowFormat, rowTexts } from '../../output/formats/csv.ts';
import type { OutputOptions } from '../../output/view.ts';

const { unknown: _, ...ENDED_STATES } = RESUBMIT_STATES;
const EXPORT_STATES = { completed: 'completed', ...ENDED_STATES } as const;

export const exportBatch = defineCommand({
  output: () => BATCH_EXPORT,
  summary: 'write the results of a batch as CSV, JSON or JSON lines',
  changesMachine: true,
  details:
    'One row for each item that has ended, with its last result, also while the batch runs. --fields names members, such as output.text: the columns of a CSV. With --out the file takes its name when it is complete.',
  args: { results: resultsArg },
  options: {
    format: option.choice('format to write (default jsonl)', ['csv', 'json', 'jsonl']),
    joinInput: option.on('add the input of each item, in the order of the input'),
    status: option.list('only items that ended so', { metavar: 'STATUS', choices: Object.keys(EXPORT_STATES) }),
    ordered: option.on('in the order of the input'),
    out: option.text('write to this file, not to stdout', { metavar: 'FILE' }),
    force: option.on('replace the file of --out if it exists'),
  },
  examples: [
    ['berth jobs batch export results.jsonl --format csv --out results.csv', 'a table for a spreadsheet'],
    ['berth jobs batch export results.jsonl --status failed --join-input', 'the inputs that failed, with their errors'],
    ['berth jobs batch export results.jsonl --join-input --fields input,output', 'inputs beside their outputs'],
  ],
  run: async (ctx, values) => {
    const [{ endingOrFailed, EXPORT_MEMBERS, exportResults, writeExport }, { batchPorts }] = await Promise.all([
      import('../../batch/index.ts'),
      import('./ports.ts'),
    ]);
    const { joinInput, out, force } = values;
    const format = formatOf(ctx.output, values.format, out);
    const members = EXPORT_MEMBERS.filter((name) => name !== 'input' || joinInput);
    checkKnownFields(members, ctx.output, suggestName, 'result');
    const exported = await exportResults(await batchPorts(ctx), values.results, values);
    const states = new Set<string>(statesOf(EXPORT_STATES, values.status));
    const missing = missingFields(ctx.output);
    let count = 0;
    function* chosen(rows: Iterable<JsonObject>): Generator<JsonObject> {
      for (const row of rows)
        if (states.size === 0 || states.has(endingOrFailed(row))) {
          count += 1;
          missing.see(row);
          yield row;
        }
    }
    async function* chosenRows(): AsyncGenerator<Iterable<JsonObject>> {
      for await (const rows of exported.rows) yield chosen(rows);
    }
    const { fields } = ctx.output;
    const onTerminal = out === undefined && ctx.terminal.output;
    const texts = rowTexts(chosenRows(), { format, fields, members, onTerminal });
    // Fails before the first row; a file gets its name when it is complete.
    if (out === undefined) for await (const text of texts) await ctx.stdout.write(text);
    else await writeExport(await ctx.durable(), { name: out, force, batchFiles: exported.files }, texts);
    const wrong = missing.all().map((path) => safeText(path));
    return {
      kind: 'nothing',
      notes: [
        ...(wrong.length === 0 ? [] : [`--fields: no result has ${wrong.join(', ')}.`]),
        ...(out === undefined ? [] : [`wrote ${countOf(count, 'row')} to ${out}`]),
        ...missingShards(exported.status),
        ...(await withoutResult(exported.status.counts)),
      ],
    };
  },
});

/** By --format, the name of --out, or -o; a table may be a setting. Fails with usage (2). */
function formatOf({ format: general, jq }: OutputOptions, format: RowFormat | undefined, out = ''): RowFormat {
  if (jq !== undefined)
    throw usage('an export takes no --jq', 'Name members with --fields, or give its JSON lines to jq in a pipe.');
  const end = /\.([a-z]\w*)$/i.exec(out)?.[1]?.toLowerCase();
  const byName = end === 'ndjson' ? 'jsonl' : end;
  const given =
    format ?? byName ?? (general === undefined || general === 'table' || general === 'wide' ? 'jsonl' : general);
  if (given === 'csv' || given === 'json' || given === 'jsonl') return given;
  throw usage(`cannot write ${given}: use csv, json or jsonl`, 'Name the format with --format csv, json or jsonl.');
}

/** So that nobody takes the rows for all items. */
async function withoutResult(counts: ItemCounts): Promise<readonly string[]> {
  const without = counts.unknown + counts.inFlight + counts.waiting;
  if (without === 0) return [];
  const { describeCounts } = await import('./progress.ts');
  const none = { completed: 0, failed: 0, timedOut: 0, cancelled: 0, expired: 0 };
  return [`${countOf(without, 'item')} without a result: ${describeCounts({ ...counts, ...none })}.`];
}
