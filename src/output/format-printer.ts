import type { Json } from '../core/json.ts';
import type { Output } from './output.ts';
import type { OutputOptions, RowsResult, View } from './view.ts';

/** Renders data in one output format. */
export interface FormatPrinter {
  /** Renders a whole result: one row or a list. Yields the text in parts, so that a long list needs little memory. */
  result(result: RowsResult, options: OutputOptions, output: Output): AsyncIterable<string> | Generator<string>;
  /** Renders rows that arrive in groups. */
  rows(view: View, options: OutputOptions, output: Output): RowPrinter;
}

export interface RowPrinter {
  /** Renders some rows; `first` is true for the first ones. */
  rows(values: readonly Json[], first: boolean): Promise<string> | string;
  /** Renders what follows the last row, such as the end of an array; `empty` is true when there was no row. */
  end?(empty: boolean): Promise<string> | string;
  /** The members of rows that have no column, because it was too late for one when they came. */
  leftOut?(): readonly string[];
}
