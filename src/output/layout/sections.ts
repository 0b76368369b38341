import type { Json } from '../../core/json.ts';
import { fieldColumns, memberColumns } from '../formats/fields.ts';
import type { Column, Facts, OutputOptions, Section, View } from '../view.ts';

/** The columns of rows: the fields asked for, the view's own, or every member where the view has none. */
export function columnsOf(view: View, rows: readonly Json[], { fields }: OutputOptions): readonly Column[] {
  if (fields !== undefined) return fieldColumns(fields);
  return view.columns.length > 0 ? view.columns : memberColumns(rows);
}

/** A header stands in capitals over its column and small beside its value; a member's own name is left as it is. */
const labelOf = (header: string): string => (header === header.toUpperCase() ? header.toLowerCase() : header);

/** One row in full: the fields asked for, the view's own sections, or its columns one a line. */
export function sectionsOf(view: View, row: Json, options: OutputOptions, facts: Facts): readonly Section[] {
  if (options.fields === undefined && view.detail !== undefined) return view.detail(row, facts);
  const lines = columnsOf(view, [row], options).map(({ header, show }) => ({
    label: labelOf(header),
    value: show(row, facts),
  }));
  return [{ lines }];
}
