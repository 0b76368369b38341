import { encodeJson, type Json } from '../../core/json.ts';
import { pickFields } from './fields.ts';
import { harmlessJson } from './escape-json.ts';
import type { JqOptions } from './jq.ts';
import { plainHeader, plainRow } from './plain.ts';
import { idLine, type Output } from '../render.ts';
import { columnsOf } from '../layout/sections.ts';
import { loadPaint } from '../layout/colour.ts';
import { data } from '../trusted.ts';
import type { OutputOptions, View } from '../view.ts';

/** Rows that are printed one by one, as they come. */
export interface RowWriter {
  row(value: Json): Promise<void>;
  /** Ends what has an end, such as a JSON array. To be called once, on success and on failure. */
  close(): Promise<void>;
}

type Write = (value: Json, first: boolean) => Promise<string>;

/**
 * Opens rows in the format asked for: JSON is one valid array, written as it grows; YAML one list; CSV takes its
 * columns from the first row; a table is lines of cells under one header, since nobody knows yet how wide they get.
 * With `--jq` each row is filtered by itself. Fails where render does.
 */
export function openRows(view: View, options: OutputOptions, to: Output): RowWriter {
  const { write, end } = formatter(view, options, to);
  let count = 0;
  return {
    row: async (value) => {
      await to.stdout.write(data(await write(value, count++ === 0)));
    },
    close: async () => {
      await to.stdout.write(data(await end(count === 0)));
    },
  };
}

function formatter(
  view: View,
  options: OutputOptions,
  to: Output,
): { readonly write: Write; readonly end: (none: boolean) => string | Promise<string> } {
  const { fields, format, jq, raw } = options;
  const onScreen = to.terminal.output;
  const picked = (value: Json): Json => (fields === undefined ? value : pickFields(value, fields));
  const shown = (json: string): string => (onScreen ? harmlessJson(json) : json);
  const endless = () => '';
  if (jq !== undefined)
    return {
      write: (value) =>
        filtered(encodeJson(picked(value)), jq, {
          compact: format === 'jsonl',
          raw,
          onScreen,
          blocking: to.blocking,
        }),
      end: endless,
    };
  switch (format) {
    case undefined:
    case 'table':
    case 'wide':
      return { write: tableWriter(view, options, to), end: endless };
    case 'json':
      return {
        write: async (value, first) =>
          `${first ? '[' : ','}\n  ${shown(encodeJson(picked(value), 2)).replaceAll('\n', '\n  ')}`,
        end: (none) => (none ? '[]\n' : '\n]\n'),
      };
    case 'jsonl':
      return { write: async (value) => `${shown(encodeJson(picked(value)))}\n`, end: endless };
    case 'yaml':
      return {
        write: async (value) => (await import('./yaml.ts')).toYaml([picked(value)]),
        end: (none) => (none ? '[]\n' : ''),
      };
    case 'csv':
      return {
        write: csvWriter(view, fields, onScreen),
        end: (none) => (none ? csvHeader(view, fields, onScreen) : ''),
      };
    case 'id':
      return { write: async (value) => idLine(view, value, fields), end: endless };
  }
}

async function filtered(json: string, expression: string, options: JqOptions): Promise<string> {
  const { runJq } = await import('./jq.ts');
  const { text, failure } = await runJq(json, expression, options);
  if (failure !== undefined) throw failure;
  return text;
}

function tableWriter(view: View, options: OutputOptions, to: Output): Write {
  const paint = loadPaint(to.terminal.colour.output);
  const padded = to.terminal.output
    ? import('../layout/table.ts').then(({ growingTable }) => growingTable())
    : undefined;
  return async (value, first) => {
    const columns = columnsOf(view, [value], options).filter(
      (column) => options.format === 'wide' || column.wide !== true,
    );
    const facts = { now: to.serviceNow() };
    const line = await padded;
    // A header over a single column says nothing that the lines do not.
    const header = first && columns.length > 1;
    if (line !== undefined)
      return (header ? line.header(columns, await paint) : '') + line.row(columns, value, facts, await paint);
    return (header ? plainHeader(columns) : '') + plainRow(columns, value, facts, await paint);
  };
}

function csvWriter(view: View, fields: readonly string[] | undefined, onScreen: boolean): Write {
  let columns: readonly string[] | undefined;
  return async (value, first) => {
    const { csvColumns, csvLines } = await import('./csv.ts');
    columns ??= csvColumns([value], fields, view);
    return await csvLines(columns, [value], { fields, onScreen, header: first });
  };
}

async function csvHeader(view: View, fields: readonly string[] | undefined, onScreen: boolean): Promise<string> {
  const { csvColumns, csvLines } = await import('./csv.ts');
  return await csvLines(csvColumns([], fields, view), [], { fields, onScreen, header: true });
}
