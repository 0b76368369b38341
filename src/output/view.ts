import type { ExitCode } from '../core/exit-codes.ts';
import type { Failure } from '../core/failure.ts';
import type { Json, JsonObject } from '../core/json.ts';

/** What a piece of text means; the terminal decides how that looks. */
export type Tone = 'plain' | 'strong' | 'quiet' | 'good' | 'busy' | 'bad' | 'warn';

/** A piece of a table or detail view. Text is the service's or ours: it is made harmless when it is shown. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

/** A bar of percent, drawn as one on a terminal and as `42%` elsewhere. */
export interface Bar {
  readonly percent: number;
  readonly text?: string;
}

/** Undefined and empty show as a dash. */
export type Shown = string | Cell | Bar | readonly (string | Cell | Bar)[] | undefined;

/** What a view may depend on beside the row: the time, for ages (milliseconds since the epoch). */
export interface Facts {
  readonly now: number;
}

export interface Column {
  /** Upper case, short. */
  readonly header: string;
  readonly show: (row: Json, facts: Facts) => Shown;
  /** Only in `-o wide`, and where a terminal has room to spare. */
  readonly wide?: boolean;
  /** Left out first where a terminal is too narrow for all. */
  readonly yields?: boolean;
  /** Of no use cut short, as an id or a status: the others are cut first. */
  readonly whole?: boolean;
  /** Numbers. */
  readonly right?: boolean;
}

export interface Section {
  readonly title?: string;
  readonly lines: readonly { readonly label: string; readonly value: Shown }[];
}

/** How a kind of thing is shown. One per noun; data and small pure functions. */
export interface View {
  /** Singular and plural in lower case: `pod`, `pods`. */
  readonly noun: readonly [string, string];
  /** What `-o id` prints. */
  readonly id: (row: Json) => string;
  /** The members of a row, as far as they are known without one: the header of a CSV that has no rows. */
  readonly members?: readonly string[];
  readonly columns: readonly Column[];
  /** One row in full, for `get`; without it the columns are shown one a line. */
  readonly detail?: (row: Json, facts: Facts) => readonly Section[];
}

interface Outcome {
  /** 0 where absent. */
  readonly exit?: ExitCode;
  /** Said on stderr after the data: one line each. */
  readonly notes?: readonly string[];
  /** What did not go through, where something did: it ends the command once the data is printed. */
  readonly failure?: Failure | undefined;
}

/** What a command ends with. The kit renders it; a command never writes to stdout itself. */
export type Result =
  | (Outcome & {
      readonly kind: 'one';
      readonly view: View;
      readonly value: Json;
      /** The service's own document, where `value` is all of it: `--json` then prints its very text. */
      readonly source?: string;
    })
  | (Outcome & {
      readonly kind: 'many';
      readonly view: View;
      readonly values: readonly Json[];
      /** The service's own document and the member that holds the rows, where nothing was filtered. */
      readonly source?: { readonly text: string; readonly member?: string };
      /**
       * The document around the rows, where it says more than they do (totals): JSON, jq and YAML then show all of it,
       * and not the array alone.
       */
      readonly whole?: { readonly document: JsonObject; readonly member: string };
    })
  /** Text that is the data itself in every format: a path, a completion script. */
  | (Outcome & { readonly kind: 'text'; readonly text: string })
  | (Outcome & { readonly kind: 'nothing' });

export const FORMATS = ['table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'id'] as const;
export type Format = (typeof FORMATS)[number];

/** How results are to be printed; from the global flags. */
export interface OutputOptions {
  /** Undefined: a table, bordered on a terminal, plain elsewhere. */
  readonly format: Format | undefined;
  /** Dotted paths (`id`, `runtime.gpus`). */
  readonly fields: readonly string[] | undefined;
  readonly jq: string | undefined;
  /** What jq gives as text is printed without its quotes. */
  readonly raw: boolean;
}
