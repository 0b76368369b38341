import type { Blocking, Sink, Terminal } from '../core/context.ts';
import type { Json } from '../core/json.ts';
import { safeText, say, type DataText, type TerminalText } from '../core/safe-text.ts';
import { text } from './layout/cells.ts';
import { fieldAt, hasField, memberNames } from './formats/fields.ts';
import { plainDetail, plainTable } from './formats/plain.ts';
import { columnsOf, sectionsOf } from './layout/sections.ts';
import { loadPaint } from './layout/colour.ts';
import { data } from './trusted.ts';
import type { OutputOptions, Result, View } from './view.ts';

/** Where a result goes; a Context is one. */
export interface Output {
  /** Data and nothing else. */
  readonly stdout: Sink<DataText | TerminalText>;
  /** What is said to a person. */
  readonly stderr: Sink<TerminalText>;
  readonly terminal: Terminal;
  /** The service's time, for ages: milliseconds since the epoch. */
  readonly serviceNow: () => number;
  /** Where `--jq` may be asked for. */
  readonly blocking?: Blocking;
}

/** Columns of a terminal that does not tell how many it has. */
const USUAL_COLUMNS = 80;

type Data = Extract<Result, { kind: 'one' | 'many' }>;

/**
 * Prints a result in the format asked for. Fails (1) where a `--jq` expression does, with whatever the sink
 * fails with (a closed pipe, a full disk), and with nothing else: what a service sent always prints.
 */
export async function render(result: Result, options: OutputOptions, to: Output): Promise<void> {
  switch (result.kind) {
    case 'nothing':
      return;
    case 'text':
      await to.stdout.write(data(wholeLines(to.terminal.output ? safeText(result.text, true) : result.text)));
      return;
    case 'one':
    case 'many':
      if (options.jq !== undefined) await renderJq(result, options, options.jq, to);
      else await to.stdout.write(data(await dataText(result, options, to)));
      if (isTable(options) && rowsOf(result).length === 0 && to.terminal.errors)
        await to.stderr.write(say`No ${result.view.noun[1]}.\n`);
      await noteAbsent(result, options, to);
  }
}

/** A path of `--fields` that no row has is misspelt more often than not: it prints as nothing, so it is said. */
async function noteAbsent(result: Data, { fields }: OutputOptions, to: Output): Promise<void> {
  const rows = rowsOf(result);
  const absent = rows.length === 0 ? [] : (fields ?? []).filter((path) => !rows.some((row) => hasField(row, path)));
  if (absent.length === 0) return;
  const known = memberNames(rows).slice(0, MOST_NAMES).join(', ');
  await to.stderr.write(say`--fields: no ${result.view.noun[0]} here has ${absent.join(', ')}; there are ${known}\n`);
}

const wholeLines = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** As many names of members as are said. */
const MOST_NAMES = 40;

const isTable = ({ format, jq }: OutputOptions): boolean =>
  jq === undefined && (format === undefined || format === 'table' || format === 'wide');

const rowsOf = (result: Data): readonly Json[] => (result.kind === 'one' ? [result.value] : result.values);

async function dataText(result: Data, options: OutputOptions, to: Output): Promise<string> {
  const { fields, format } = options;
  const onScreen = to.terminal.output;
  const rows = rowsOf(result);
  switch (format) {
    case undefined:
    case 'table':
    case 'wide':
      return await tableText(result, options, to);
    case 'json': {
      const { jsonDocument } = await import('./formats/json.ts');
      return `${jsonDocument(result, fields, onScreen)}\n`;
    }
    case 'jsonl': {
      const { jsonLines } = await import('./formats/json.ts');
      return jsonLines(result, fields, onScreen);
    }
    case 'yaml': {
      const { toYaml } = await import('./formats/yaml.ts');
      const { documentOf } = await import('./formats/json.ts');
      return await toYaml(documentOf(result, fields));
    }
    case 'csv': {
      const { csvColumns, csvLines } = await import('./formats/csv.ts');
      return await csvLines(csvColumns(rows, fields, result.view), rows, { fields, onScreen, header: true });
    }
    case 'id':
      return rows.map((row) => idLine(result.view, row, fields)).join('');
  }
}

async function tableText(result: Data, options: OutputOptions, to: Output): Promise<TerminalText> {
  const { terminal } = to;
  const facts = { now: to.serviceNow() };
  const paint = await loadPaint(terminal.colour.output);
  const wide = options.format === 'wide';
  const width = terminal.columns ?? USUAL_COLUMNS;
  if (result.kind === 'one') {
    const sections = sectionsOf(result.view, result.value, options, facts);
    if (!terminal.output) return plainDetail(sections, paint);
    const { terminalDetail } = await import('./layout/detail.ts');
    return terminalDetail(sections, { width, paint });
  }
  const columns = columnsOf(result.view, result.values, options);
  if (!terminal.output)
    return plainTable(wide ? columns : columns.filter((column) => column.wide !== true), result.values, facts, paint);
  const { terminalTable } = await import('./layout/table.ts');
  return await terminalTable(columns, result.values, { facts, width, wide, paint });
}

/** `-o id`: one id a line, or with `--fields` these, a tab between them. Harmless: a line stays one line. */
export const idLine = (view: View, row: Json, fields: readonly string[] | undefined): string =>
  `${(fields === undefined ? [view.id(row)] : fields.map((path) => text('at')({ at: fieldAt(row, path) }))).map((each) => safeText(each)).join('\t')}\n`;

async function renderJq(result: Data, options: OutputOptions, expression: string, to: Output): Promise<void> {
  const { jsonDocument } = await import('./formats/json.ts');
  const { runJq } = await import('./formats/jq.ts');
  const { text: results, failure } = await runJq(jsonDocument(result, options.fields, false), expression, {
    compact: options.format === 'jsonl',
    raw: options.raw,
    onScreen: to.terminal.output,
    blocking: to.blocking,
  });
  await to.stdout.write(data(results));
  if (failure !== undefined) throw failure;
}
