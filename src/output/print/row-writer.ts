import { encodeJson, type Json } from '../../core/json.ts';
import { say } from '../../core/safe-text.ts';
import { pickFields } from '../fields/fields.ts';
import type { RowPrinter } from '../format-printer.ts';
import { DEFAULT_FORMAT, FORMAT_TABLE, isJsonFormat } from '../formats/format-table.ts';
import type { Output } from '../output.ts';
import { data } from '../trusted.ts';
import type { OutputOptions, View } from '../view.ts';

/** Prints rows as they arrive. */
export interface RowWriter {
  /** Whether the rows are printed as JSON: in a dry run that is not the format of the requests. */
  readonly isJson: boolean;
  row(value: Json): Promise<void>;
  /** Prints several rows at once. */
  rows(values: readonly Json[]): Promise<void>;
  /** Prints what ends the output, such as the end of a JSON array. Call it once, on success and on failure. */
  close(): Promise<void>;
}

/**
 * Opens a row writer in the format asked for. JSON is one valid array, written as it grows; YAML is one list; CSV takes
 * its columns from the first rows and the view, and stderr names members that come too late; a table has one header and no borders, because later rows may be wider. `--jq` filters
 * each row separately. Fails as `render` does.
 */
export function openRows(view: View, options: OutputOptions, output: Output): RowWriter {
  let loading: Promise<RowPrinter> | undefined;
  const load = (): Promise<RowPrinter> => (loading ??= rowPrinter(view, options, output));
  let count = 0;
  const rows = async (values: readonly Json[]): Promise<void> => {
    if (values.length === 0) return;
    const first = count === 0;
    count += values.length;
    await output.stdout.write(data(await (await load()).rows(values, first)));
  };
  return {
    isJson: isJsonFormat(options.format ?? DEFAULT_FORMAT),
    row: (value) => rows([value]),
    rows,
    close: async () => {
      const printer = await load();
      await output.stdout.write(data((await printer.end?.(count === 0)) ?? ''));
      const leftOut = printer.leftOut?.() ?? [];
      if (leftOut.length > 0)
        await output.stderr.write(
          say`Without a column, because the first ${view.noun[1]} do not have it: ${leftOut.join(', ')}. --fields names the columns.\n`,
        );
    },
  };
}

async function rowPrinter(view: View, options: OutputOptions, output: Output): Promise<RowPrinter> {
  const { format = DEFAULT_FORMAT, jq } = options;
  if (jq !== undefined) return { rows: (values) => filterRows(values, jq, options, output) };
  return (await FORMAT_TABLE[format].load()).rows(view, options, output);
}

async function filterRows(
  values: readonly Json[],
  jq: string,
  options: OutputOptions,
  output: Output,
): Promise<string> {
  const { fields, format = DEFAULT_FORMAT, raw } = options;
  const { runJq } = await import('../formats/jq.ts');
  let texts = '';
  for (const value of values) {
    const { text, failure } = await runJq(encodeJson(fields === undefined ? value : pickFields(value, fields)), jq, {
      compact: FORMAT_TABLE[format].json === 'compact',
      raw,
      onTerminal: output.terminal.output,
      blocking: output.blocking,
    });
    if (failure !== undefined) throw failure;
    texts += text;
  }
  return texts;
}
