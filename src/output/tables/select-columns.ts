import type { Json } from '../../core/json.ts';
import { fieldColumns, memberColumns } from '../fields/fields.ts';
import type { Column, Facts, OutputOptions, Section, View } from '../view.ts';

/** Returns the columns of a table: the fields asked for, the view's columns, or every member when the view has none. */
export function selectColumns(view: View, rows: readonly Json[], { fields }: OutputOptions): readonly Column[] {
  if (fields !== undefined) return fieldColumns(fields);
  return view.columns.length > 0 ? view.columns : memberColumns(rows);
}

/** Returns the sections of one row: the fields asked for, the view's sections, or one line for each column. */
export function selectSections(view: View, row: Json, options: OutputOptions, facts: Facts): readonly Section[] {
  if (options.fields === undefined && view.detail !== undefined) return view.detail(row, facts);
  const lines = selectColumns(view, [row], options).map(({ header, show }) => ({
    label: labelOf(header),
    value: show(row, facts),
  }));
  return [{ lines }];
}

/** Returns a column's header as a label, in lower case. A member's own name, which has lower case, is left unchanged. */
const labelOf = (header: string): string => (header === header.toUpperCase() ? header.toLowerCase() : header);
