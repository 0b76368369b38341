import type { Message, PrintedPart } from '../core/message.ts';
import type { ApiAnswer } from '../core/api.ts';
import type { ExitCode } from '../core/exit-codes.ts';
import type { Failure } from '../core/failure.ts';
import { itemsAt, stringAt, type Json, type JsonObject } from '../core/json.ts';
import type { OutputFormat } from '../core/ports/output-formats.ts';
import type { IsSecret } from '../core/text/secret-names.ts';
import type { Page } from './help-page.ts';
import type { EpochMs, Milliseconds } from '../core/unit-types.ts';

/** The meaning of a piece of text, from which its colour follows. */
export type Tone = 'plain' | 'strong' | 'quiet' | 'good' | 'busy' | 'bad' | 'warn';

/** A value of a table or detail view. Its text may come from the service: it is made safe when it is rendered. */
export interface Cell {
  readonly text: string;
  /** The text in a detail view of a terminal, where it may have several lines, such as indented JSON. */
  readonly long?: string;
  readonly tone?: Tone | undefined;
  /** The same text with its commands told apart: in a detail view of a terminal, none is broken over two lines. */
  readonly parts?: readonly PrintedPart[];
}

/** A percentage, shown as a bar on a terminal and as `42%` elsewhere. */
export interface Bar {
  readonly percent: number;
  readonly text?: string;
  /** Its length in characters; 8 by default. */
  readonly blocks?: number;
}

/** A number now and before. On a terminal it has a sparkline, and a bar where it is a percentage; elsewhere it is `text`. */
export interface Gauge {
  /** What it measures, where several gauges are on one line. */
  readonly label?: string;
  readonly text: string;
  readonly percent?: number;
  /** The values over time, the present one last; undefined where it was not known. */
  readonly history: readonly (number | undefined)[];
  /** The value that fills the sparkline; the highest of the history when absent. */
  readonly most?: number;
  /** Columns of the sparkline: it shows as many values. */
  readonly columns: number;
}

/** Gauges side by side on one line. */
export interface Gauges {
  readonly gauges: readonly Gauge[];
}

/** One value of a cell. */
export type Item = string | Cell | Bar | Gauges;

/** The content of a cell; an array has several values. Undefined and empty text are shown as a dash. */
export type Shown = Item | readonly Item[] | undefined;

/** What a cell may depend on besides its row. */
export interface Facts {
  /** The service's time, for ages. */
  readonly now: EpochMs;
}

/** A row as a poll of a watch gave it. */
export interface Sample {
  readonly row: Json;
  /** On the monotonic clock. */
  readonly at: Milliseconds;
}

/** What the view of a watch may depend on besides its row. */
export interface LiveFacts extends Facts {
  /** The last polls, the oldest first; the last one is that of the row. */
  readonly samples: readonly Sample[];
  /** Columns of the terminal. */
  readonly columns: number;
}

export interface Column {
  /** Upper case, short. */
  readonly header: string;
  readonly show: (row: Json, facts: Facts) => Shown;
  /** Shown only with `-o wide`, or when the terminal has room to spare. */
  readonly wide?: boolean;
  /** A column that a table of a terminal always shows where a row has a value for it, and otherwise never. */
  readonly whereAny?: boolean;
  /** Left out first when the terminal is too narrow for all columns. */
  readonly dropFirst?: boolean;
  /** Useless when cut, such as an id or a status: other columns are cut first. */
  readonly cutLast?: boolean;
  /** A sentence: a wide column that is not asked for is shown only beside all of it. */
  readonly sentence?: boolean;
  /** Where a terminal has no room for all of it, each row is a block of lines. */
  readonly uncut?: boolean;
  /** A total that is told beside the table counts it: a table that leaves it out says so. */
  readonly counted?: boolean;
  /** Aligned to the right, as numbers are. */
  readonly right?: boolean;
}

export interface Section {
  readonly title?: string;
  readonly lines: readonly { readonly label: string; readonly value: Shown }[];
}

/** How the rows of one noun are shown. */
export interface View {
  /** Singular and plural in lower case: `pod`, `pods`. */
  readonly noun: readonly [string, string];
  /** The id that `-o id` prints. */
  readonly id: (row: Json) => string;
  /** Names of the members of a row: the header of a CSV without rows. */
  readonly members?: readonly string[];
  /** The paths of all known fields, for `--fields`. */
  readonly paths?: readonly string[];
  readonly columns: readonly Column[];
  /** The sections of the detail view of `get`; without it, each column is one line. */
  readonly detail?: (row: Json, facts: Facts) => readonly Section[];
  /** The sections that `--watch` shows on a terminal: first what changes. Without it, those of the detail view. */
  readonly live?: (row: Json, facts: LiveFacts) => readonly Section[];
}

interface Outcome {
  /** 0 by default. */
  readonly exit?: ExitCode | undefined;
  /** Lines printed on stderr after the data. */
  readonly notes?: readonly Message[] | undefined;
  /** Thrown after the data is printed: for a command of which only a part succeeded. */
  readonly failure?: Failure | undefined;
}

/** Rows as text: a document of the service that has them. */
export interface RowsSource {
  readonly text: string;
  /** The member of the document that holds the rows; absent where the document is the array of rows. */
  readonly member?: string;
  /** The places of rows that are left out. */
  readonly without?: ReadonlySet<number>;
}

/** The result of a command. It is rendered by `render`; a command does not write to stdout itself. */
export type Result =
  | (Outcome & {
      readonly kind: 'one';
      readonly view: View;
      readonly value: Json;
      /** The document's text, when `value` is the whole document: `--json` prints it with its numbers unchanged. */
      readonly source?: string;
    })
  | (Outcome & {
      readonly kind: 'many';
      readonly view: View;
      readonly values: readonly Json[];
      /** The rows as the service sent them, in one or several documents, when none was filtered out. */
      readonly sources?: readonly RowsSource[];
      /**
       * The document around the rows, when it holds more than the rows (totals): JSON, jq and YAML then print all of it,
       * and not only the array.
       */
      readonly whole?: { readonly document: JsonObject; readonly member: string };
    })
  /** Text that is printed as it is in every format: a path, a completion script. */
  | (Outcome & { readonly kind: 'text'; readonly text: string })
  /** A page of help, laid out for the terminal. */
  | (Outcome & { readonly kind: 'page'; readonly page: Page })
  | (Outcome & { readonly kind: 'nothing' })
  /** A program ran and wrote its own output. Its exit code, 0 to 255, becomes that of berth. */
  | (Outcome & { readonly kind: 'program'; readonly code: number });

/** The result that shows the whole document of an answer. */
export const answerResult = (view: View, { value = null, text }: ApiAnswer) =>
  ({ kind: 'one', view, value, source: text }) as const satisfies Result;

/** Rows, and how the service sent them. */
export interface SourcedRows {
  readonly values: readonly Json[];
  readonly sources: readonly RowsSource[];
}

/** The rows of an answer, which are its member `member`. */
export const rowsOfAnswer = ({ value, text }: ApiAnswer, member: string): SourcedRows => ({
  values: itemsAt(value, member),
  sources: [{ text, member }],
});

/** The result that shows rows. */
export const listResult = (view: View, { values, sources }: SourcedRows) =>
  ({ kind: 'many', view, values, sources }) as const satisfies Result;

/** The id of a row; empty where it has none. */
export const idOf = (row: Json | undefined): string => stringAt(row, 'id') ?? '';

/** A result that has rows. */
export type RowsResult = Extract<Result, { kind: 'one' | 'many' }>;

export const rowsOf = (result: RowsResult): readonly Json[] => (result.kind === 'one' ? [result.value] : result.values);

/** Whether an output flag or setting asks for data in place of the text that a command prints to people. */
export const asksForData = ({ format, fields, jq }: OutputOptions): boolean =>
  format !== undefined || fields !== undefined || jq !== undefined;

/** How results are printed, from the global flags. */
export interface OutputOptions {
  /** Undefined when neither a flag nor a setting names one: a table. */
  readonly format: OutputFormat | undefined;
  /** Dotted paths (`id`, `runtime.gpus`). */
  readonly fields: readonly string[] | undefined;
  readonly jq: string | undefined;
  /** Prints strings that jq returns without their quotes. */
  readonly raw: boolean;
  /** Prints and reads the cells of a CSV as they are, without apostrophes before formulas. */
  readonly csvRaw?: boolean | undefined;
  /** The variables of `env` that are hidden in tables and detail views; none where it is absent (`--show-secrets`). */
  readonly isSecret?: IsSecret | undefined;
}
