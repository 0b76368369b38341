import { encodeJson, type Json } from '../core/json.ts';
import { pickFields } from './formats/fields.ts';
import type { RowPrinter } from './formats/format-printer.ts';
import { DEFAULT_FORMAT, FORMAT_TABLE } from './formats/format-table.ts';
import type { Output } from './output.ts';
import { data } from './trusted.ts';
import type { OutputOptions, View } from './view.ts';

/** Prints rows one at a time, as they arrive. */
export interface RowWriter {
  row(value: Json): Promise<void>;
  /** Prints what ends the output, such as the end of a JSON array. Call it once, on success and on failure. */
  close(): Promise<void>;
}

/**
 * Opens a row writer in the format asked for. JSON is one valid array, written as it grows; YAML is one list; CSV takes
 * its columns from the first row; a table has one header and no borders, because later rows may be wider. `--jq` filters
 * each row separately. Fails as `render` does.
 */
export function openRows(view: View, options: OutputOptions, output: Output): RowWriter {
  let loading: Promise<RowPrinter> | undefined;
  const load = (): Promise<RowPrinter> => (loading ??= rowPrinter(view, options, output));
  let count = 0;
  return {
    row: async (value) => {
      const first = count++ === 0;
      await output.stdout.write(data(await (await load()).row(value, first)));
    },
    close: async () => {
      await output.stdout.write(data((await (await load()).end?.(count === 0)) ?? ''));
    },
  };
}

async function rowPrinter(view: View, options: OutputOptions, output: Output): Promise<RowPrinter> {
  const { format = DEFAULT_FORMAT, jq } = options;
  if (jq !== undefined) return { row: (value) => filterRow(value, jq, options, output) };
  return (await FORMAT_TABLE[format].load()).rows(view, options, output);
}

async function filterRow(value: Json, jq: string, options: OutputOptions, output: Output): Promise<string> {
  const { fields, format = DEFAULT_FORMAT, raw } = options;
  const { runJq } = await import('./formats/jq.ts');
  const { text, failure } = await runJq(encodeJson(fields === undefined ? value : pickFields(value, fields)), jq, {
    compact: FORMAT_TABLE[format].json === 'compact',
    raw,
    onTerminal: output.terminal.output,
    blocking: output.blocking,
  });
  if (failure !== undefined) throw failure;
  return text;
}
