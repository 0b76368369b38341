import { encodeJson, type Json } from '../core/json.ts';
import { safeText, say } from '../core/safe-text.ts';
import { pickFields } from './fields.ts';
import { DEFAULT_FORMAT, FORMAT_TABLE, isJsonFormat, isTableOutput } from './formats/format-table.ts';
import type { JqResult } from './formats/jq.ts';
import { data } from './trusted.ts';
import type { Output, OutputOptions, Result, RowPrinter, RowsResult, View } from './view.ts';

/** Fails (1) when a `--jq` expression fails, and as the sink does. Data of a service never makes it fail. */
export async function render(result: Result, options: OutputOptions, output: Output): Promise<void> {
  switch (result.kind) {
    case 'nothing':
    case 'program':
      return;
    case 'text': {
      const text = output.terminal.output ? safeText(result.text, true) : result.text;
      await output.stdout.write(data(text === '' || text.endsWith('\n') ? text : `${text}\n`));
      return;
    }
    case 'page': {
      const { drawPage } = await import('./text/draw-help-page.ts');
      const { columns, colour } = output.terminal;
      await output.stdout.write(await drawPage(result.page, { columns, colour: colour.output }));
      return;
    }
    case 'one':
    case 'many':
      await renderRows(result, options, output);
      if (result.kind === 'many' && result.values.length === 0 && isTableOutput(options) && output.terminal.errors)
        await output.stderr.write(say`No ${result.view.noun[1]}.\n`);
  }
}

async function renderRows(result: RowsResult, options: OutputOptions, output: Output): Promise<void> {
  const { format = DEFAULT_FORMAT, jq } = options;
  if (jq !== undefined) {
    const { documentOf } = await import('./formats/json.ts');
    const { text, failure } = await filtered(encodeJson(documentOf(result, options.fields)), jq, options, output);
    await output.stdout.write(data(text));
    if (failure !== undefined) throw failure;
    return;
  }
  const printer = await FORMAT_TABLE[format].load();
  for await (const text of printer.result(result, options, output)) await output.stdout.write(data(text));
}

async function filtered(json: string, jq: string, { format, raw }: OutputOptions, output: Output): Promise<JqResult> {
  const { runJq } = await import('./formats/jq.ts');
  return runJq(json, jq, {
    compact: FORMAT_TABLE[format ?? DEFAULT_FORMAT].json === 'compact',
    raw,
    onTerminal: output.terminal.output,
    blocking: output.blocking,
  });
}

export interface RowWriter {
  /** Whether the rows are printed as JSON: in a dry run that is not the format of the requests. */
  readonly isJson: boolean;
  row(value: Json): Promise<void>;
  rows(values: readonly Json[]): Promise<void>;
  /** Prints what ends the output, such as the end of a JSON array. Call it once, on success and on failure. */
  close(): Promise<void>;
}

/** CSV columns come from the first rows and the view; stderr names later members. `--jq` filters each row. */
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
  let texts = '';
  for (const value of values) {
    const json = encodeJson(options.fields === undefined ? value : pickFields(value, options.fields));
    const { text, failure } = await filtered(json, jq, options, output);
    if (failure !== undefined) throw failure;
    texts += text;
  }
  return texts;
}
