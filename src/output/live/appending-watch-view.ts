import { encodeJson, isObject, type Json } from '../../core/json.ts';
import { say } from '../../core/safe-text.ts';
import { formatDuration } from '../../core/units.ts';
import { isTableOutput } from '../formats/format-table.ts';
import type { Output } from '../output.ts';
import { render } from '../print/render.ts';
import { openRows, type RowWriter } from '../print/row-writer.ts';
import { rowsOf, type OutputOptions, type Result, type View } from '../view.ts';
import type { WatchView } from './watch-view.ts';

/** Prints one result after the other. */
export function appendingView(options: OutputOptions, output: Output): WatchView {
  const hasRows = options.jq === undefined && (options.format === 'jsonl' || options.format === 'csv');
  return { ...(hasRows ? timedRows(options, output) : changedResults(options, output)), stale: sayStale(output) };
}

/** Says once that polls fail, and nothing more until one succeeds. */
function sayStale({ stderr }: Output): WatchView['stale'] {
  let said = '';
  return async (message, ageMs) => {
    if (message === said) return;
    said = message;
    await stderr.write(say`${message}; the last values are ${formatDuration(ageMs)} old; polling continues\n`);
  };
}

type ResultPrinter = Omit<WatchView, 'stale'>;

/** Prints every row of every poll as one line that begins with the time, in the service's time. */
function timedRows(options: OutputOptions, output: Output): ResultPrinter {
  const { fields } = options;
  let rows: RowWriter | undefined;
  const open = (view: View): RowWriter =>
    (rows ??= openRows(
      { ...view, members: ['at', ...(view.members ?? [])] },
      fields === undefined ? options : { ...options, fields: ['at', ...fields] },
      output,
    ));
  return {
    show: async (result) => {
      if (result.kind !== 'one' && result.kind !== 'many') return;
      const at = new Date(output.serviceNow()).toISOString();
      for (const row of rowsOf(result)) await open(result.view).row(timed(at, row));
    },
    close: async () => {
      await rows?.close();
    },
  };
}

const timed = (at: string, row: Json): Json => ({ at, ...(isObject(row) ? row : { value: row }) });

function changedResults(options: OutputOptions, output: Output): ResultPrinter {
  let last: string | undefined;
  const separator = isTableOutput(options) ? say`\n` : options.format === 'yaml' ? say`---\n` : say``;
  return {
    show: async (result) => {
      const current = fingerprint(result);
      if (current === last) return;
      if (last !== undefined) await output.stdout.write(separator);
      last = current;
      await render(result, options, output);
    },
    close: async () => undefined,
  };
}

/** Returns text that changes with a result's data. A row whose age only increased counts as unchanged. */
function fingerprint(result: Result): string {
  switch (result.kind) {
    case 'one':
      return encodeJson(result.value);
    case 'many':
      return encodeJson(result.values);
    case 'text':
      return result.text;
    case 'page':
    case 'nothing':
    case 'program':
      return '';
  }
}
