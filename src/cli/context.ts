import type { ApiAnswer, ApiRequest } from '../core/api.ts';
import type { Context } from '../core/context.ts';
import type { Failure } from '../core/failure.ts';
import type { Json } from '../core/json.ts';
import type { OutputOptions, View } from '../output/view.ts';

/** A line that tells a person what is going on, on a terminal only. */
export interface Progress {
  update(text: string): void;
  stop(): Promise<void>;
}

/** Rows that are printed as they come. */
export interface RowWriter {
  row(value: Json): Promise<void>;
  close(): Promise<void>;
}

/** What of several requests came back: each with its answer or its failure. */
export interface Sent {
  readonly request: ApiRequest;
  readonly answer?: ApiAnswer;
  readonly failure?: Failure;
}

/** The Context, and what the kit adds to it for one run of a command. */
export interface CommandContext extends Context {
  readonly output: OutputOptions;
  /** `--dry-run`: the first write prints itself and ends the command; nothing at all is sent, reads included. */
  readonly dryRun: boolean;
  /** `--yes`. */
  readonly yes: boolean;
  /** One line to a person, on stderr, made harmless. */
  tell(line: string): Promise<void>;
  progress(text: string): Progress;
  rows(view: View): RowWriter;
  /** Sends one after the other; a failure does not stop the rest, an interrupt does. In a dry run, prints them all. */
  sendEach(requests: readonly ApiRequest[]): Promise<readonly Sent[]>;
  /** The command line that goes on with this, said when Ctrl-C ends it. */
  goOnWith(commandLine: string | undefined): void;
}
