import type { ApiAnswer } from '../core/api.ts';
import type { Blocking, SettingsView, Sink, Terminal } from '../core/context.ts';
import type { ExitCode } from '../core/exit-codes.ts';
import type { Failure } from '../core/failure.ts';
import { type Json, type JsonObject, stringAt } from '../core/json.ts';
import type { Message, PrintedPart } from '../core/message.ts';
import type { DataText, TerminalText } from '../core/safe-text.ts';
import type { IsSecret } from '../core/secret-names.ts';
import type { OutputFormat } from '../core/settings.ts';
import type { EpochMs } from '../core/unit-types.ts';

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

export interface Bar {
  readonly percent: number;
  readonly text: string;
  readonly blocks?: number;
}

export type Item = string | Cell | Bar;

/** The content of a cell; an array has several values. Undefined and empty text are shown as a dash. */
export type Shown = Item | readonly Item[] | undefined;

export interface Facts {
  readonly now: EpochMs;
}

export interface Column {
  readonly header: string;
  readonly show: (row: Json, facts: Facts) => Shown;
  /** Shown only with `-o wide`, or when the terminal has room to spare. */
  readonly wide?: boolean;
  /** Left out where a terminal has no room: the table then names it. */
  readonly dropFirst?: boolean;
  /** Useless when cut, such as a status: other columns are cut first, as they are for NAME and ID. */
  readonly cutLast?: boolean;
  /** What a person decides by, such as a change or a reason: it is never cut. */
  readonly wraps?: boolean;
  /** Shown on a terminal even where no row has a value. */
  readonly always?: boolean;
  readonly right?: boolean;
}

export interface Section {
  readonly title?: string;
  readonly lines: readonly { readonly label: string; readonly value: Shown }[];
}

export interface View {
  readonly noun: readonly [string, string];
  readonly id: (row: Json) => string;
  /** Names of the members of a row: the header of a CSV without rows. */
  readonly members?: readonly string[];
  readonly paths?: readonly string[];
  readonly columns: readonly Column[];
  readonly detail?: (row: Json, facts: Facts) => readonly Section[];
}

interface Outcome {
  readonly exit?: ExitCode | undefined;
  readonly notes?: readonly Message[] | undefined;
  /** Thrown after the data is printed: for a command of which only a part succeeded. */
  readonly failure?: Failure | undefined;
}

/** The result of a command, rendered by `render`. What streams writes itself. */
export type Result =
  | (Outcome & {
      readonly kind: 'one';
      readonly view: View;
      readonly value: Json;
    })
  | (Outcome & {
      readonly kind: 'many';
      readonly view: View;
      readonly values: readonly Json[];
      /** Set when the document holds more than the rows (totals): JSON, jq and YAML then print all of it. */
      readonly whole?: { readonly document: JsonObject; readonly member: string };
    })
  /** Text that is printed as it is in every format: a path, a completion script. */
  | (Outcome & { readonly kind: 'text'; readonly text: string })
  /** A page of help, laid out for the terminal. */
  | (Outcome & { readonly kind: 'page'; readonly page: Page })
  | (Outcome & { readonly kind: 'nothing' })
  /** A program ran and wrote its own output. Its exit code, 0 to 255, becomes that of berth. */
  | (Outcome & { readonly kind: 'program'; readonly code: number });

export const answerResult = (view: View, { value = null }: ApiAnswer) =>
  ({ kind: 'one', view, value }) as const satisfies Result;

export const idOf = (row: Json | undefined): string => stringAt(row, 'id') ?? '';

export type RowsResult = Extract<Result, { kind: 'one' | 'many' }>;

export const rowsOf = (result: RowsResult): readonly Json[] => (result.kind === 'one' ? [result.value] : result.values);

/** Whether an output flag or setting asks for data in place of the text that a command prints to people. */
export const asksForData = ({ format, fields, jq }: OutputOptions): boolean =>
  format !== undefined || fields !== undefined || jq !== undefined;

export interface OutputOptions {
  /** Undefined when neither a flag nor a setting names one: a table. */
  readonly format: OutputFormat | undefined;
  readonly fields: readonly string[] | undefined;
  readonly jq: string | undefined;
  readonly raw: boolean;
  /** The variables of `env` that are hidden in tables and detail views; none where it is absent (`--show-secrets`). */
  readonly isSecret?: IsSecret | undefined;
}

export interface Output {
  /** Data and nothing else. */
  readonly stdout: Sink<DataText | TerminalText>;
  readonly stderr: Sink<TerminalText>;
  readonly terminal: Terminal;
  readonly settings: Pick<SettingsView, 'accountWords'>;
  /** The service's time, for ages. */
  readonly serviceNow: () => EpochMs;
  /** Runs jq so that a signal can end it; absent where `--jq` cannot be used. */
  readonly blocking?: Blocking;
}

export type Page = readonly Block[];

/** `text` is wrapped at spaces; `literal` lines are not, because they are copied: command lines and their output. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'usage'; readonly words: readonly string[] }
  | { readonly kind: 'rows'; readonly title: string; readonly rows: readonly PageRow[] }
  | { readonly kind: 'examples'; readonly title: string; readonly rows: readonly PageRow[] };

export type PageRow = readonly [string, string];

export interface FormatPrinter {
  /** Renders a whole result: one row or a list. Yields the text in parts, so that a long list needs little memory. */
  result(result: RowsResult, options: OutputOptions, output: Output): AsyncIterable<string> | Generator<string>;
  rows(view: View, options: OutputOptions, output: Output): RowPrinter;
}

export interface RowPrinter {
  rows(values: readonly Json[], first: boolean): Promise<string> | string;
  /** Renders what follows the last row, such as the end of an array; `empty` is true when there was no row. */
  end?(empty: boolean): Promise<string> | string;
  /** The members of rows that have no column, because it was too late for one when they came. */
  leftOut?(): readonly string[];
}
