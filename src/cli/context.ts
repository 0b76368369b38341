import type { ApiRequest } from '../core/api.ts';
import type { Context } from '../core/context.ts';
import type { Json } from '../core/json.ts';
import type { OutputOptions, View } from '../output/view.ts';
import type { IdCache } from './resource/id-cache.ts';

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

/** The Context, and what the kit adds to it for one run of a command. */
export interface CommandContext extends Context {
  readonly output: OutputOptions;
  /** `--dry-run`: the first write prints itself and ends the command; nothing at all is sent, reads included. */
  readonly dryRun: boolean;
  /** `--yes`. */
  readonly yes: boolean;
  /** What the ids and names of the command line were found to stand for. */
  readonly ids: IdCache;
  /** The service's time by its answers, for ages: milliseconds since the epoch. */
  readonly serviceNow: () => number;
  /**
   * The same before the first request, for a time such as `10m` ago. The local service in this process is asked for it;
   * elsewhere it would cost a request, and this machine's clock has to do.
   */
  readonly fetchServiceNow: () => Promise<number>;
  /** One line to a person, on stderr, made safe: a line feed inside it is shown as an escape. */
  tell(line: string): Promise<void>;
  progress(text: string): Progress;
  rows(view: View): RowWriter;
  /** Ends a dry run of several requests by printing them all. */
  previewAll(requests: readonly ApiRequest[]): Promise<never>;
  /** The command line that goes on with this, said when Ctrl-C ends it. */
  setResumeCommand(commandLine: string | undefined): void;
}
