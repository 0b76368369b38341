import { encodeJson, type Json } from '../../core/json.ts';
import { safeText, type SafeText } from '../../core/safe-text.ts';
import { groupsOf, pickFields } from '../fields.ts';
import { type FormatPrinter, type OutputOptions, type RowPrinter, rowsOf, type RowsResult } from '../view.ts';

/** For a terminal only: elsewhere strings stay as the service sent them. */
export const escapeJson = (text: string): SafeText =>
  safeText(
    text.replace(/[^\n\u0020-\u007e]/gu, (character) =>
      safeText(character) === character ? character : codeUnits(character).map(escapeUnit).join(''),
    ),
    true,
  );

const codeUnits = (character: string): readonly number[] =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

/** A list is an array, or the document if that holds more than rows. In parts: a long list is not in memory twice. */
export const jsonPrinter: FormatPrinter = {
  result: async function* (result, options, output) {
    if (result.kind === 'many' && result.whole === undefined) {
      yield* inGroups(result, jsonPrinter.rows(result.view, options, output));
      return;
    }
    const text = encodeJson(documentOf(result, options.fields), 2);
    yield `${output.terminal.output ? escapeJson(text) : text}\n`;
  },
  rows: (_view, { fields }, { terminal }) => ({
    rows: (values, first) => {
      const texts = values.map((value) => encodeJson(pick(value, fields), 2).replaceAll('\n', '\n  '));
      const text = `${first ? '[' : ','}\n  ${texts.join(',\n  ')}`;
      return terminal.output ? escapeJson(text) : text;
    },
    end: (empty) => (empty ? '[]\n' : '\n]\n'),
  }),
};

export const jsonLinesPrinter: FormatPrinter = {
  result: (result, options, output) => inGroups(result, jsonLinesPrinter.rows(result.view, options, output)),
  rows: (_view, { fields }, { terminal }) => ({
    rows: (values) => {
      const text = values.map((value) => `${encodeJson(pick(value, fields))}\n`).join('');
      return terminal.output ? escapeJson(text) : text;
    },
  }),
};

async function* inGroups(result: RowsResult, printer: RowPrinter): AsyncGenerator<string> {
  const rows = rowsOf(result);
  let isFirst = true;
  for (const group of groupsOf(rows)) {
    yield await printer.rows(group, isFirst);
    isFirst = false;
  }
  yield (await printer.end?.(rows.length === 0)) ?? '';
}

export function documentOf(result: RowsResult, fields: OutputOptions['fields']): Json {
  const rows = rowsOf(result).map((row) => pick(row, fields));
  if (result.kind === 'one') return rows[0] ?? null;
  return result.whole === undefined ? rows : { ...result.whole.document, [result.whole.member]: rows };
}

const pick = (row: Json, fields: OutputOptions['fields']): Json =>
  fields === undefined ? row : pickFields(row, fields);
