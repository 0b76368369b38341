import { safeText, say } from '../../core/safe-text.ts';
import { warnUnknownFields } from '../fields/check-fields.ts';
import { DEFAULT_FORMAT, FORMAT_TABLE, isTableOutput } from '../formats/format-table.ts';
import type { Output } from '../output.ts';
import type { PageTerminal } from '../text/draw-help-page.ts';
import { data } from '../trusted.ts';
import { rowsOf, type OutputOptions, type Result, type RowsResult } from '../view.ts';

/**
 * Prints a result in the format asked for. Fails (1) when a `--jq` expression fails, and as the sink does (a closed pipe,
 * a full disk). Data from a service never makes it fail.
 */
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
      const { drawPage } = await import('../text/draw-help-page.ts');
      await output.stdout.write(await drawPage(result.page, outputTerminal(output.terminal)));
      return;
    }
    case 'one':
    case 'many':
      await renderRows(result, options, output);
      if (isTableOutput(options) && rowsOf(result).length === 0 && output.terminal.errors)
        await output.stderr.write(say`No ${result.view.noun[1]}.\n`);
      await warnUnknownFields(result, options, output);
  }
}

/** The terminal that a page on stdout is laid out for. */
const outputTerminal = ({ columns, colour }: Output['terminal']): PageTerminal => ({ columns, colour: colour.output });

async function renderRows(result: RowsResult, options: OutputOptions, output: Output): Promise<void> {
  const { format = DEFAULT_FORMAT, jq } = options;
  if (jq !== undefined) {
    await renderFiltered(result, jq, options, output);
    return;
  }
  const printer = await FORMAT_TABLE[format].load();
  for await (const text of printer.result(result, options, output)) await output.stdout.write(data(text));
}

async function renderFiltered(result: RowsResult, jq: string, options: OutputOptions, output: Output): Promise<void> {
  const { fields, format = DEFAULT_FORMAT, raw } = options;
  const { jsonInput } = await import('../formats/json.ts');
  const { runJq } = await import('../formats/jq.ts');
  const { text, failure } = await runJq(jsonInput(result, fields), jq, {
    compact: FORMAT_TABLE[format].json === 'compact',
    raw,
    onTerminal: output.terminal.output,
    blocking: output.blocking,
  });
  await output.stdout.write(data(text));
  if (failure !== undefined) throw failure;
}
