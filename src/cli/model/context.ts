import type { CommandLine, Message } from '../../core/message.ts';
import type { ApiRequest } from '../../core/api.ts';
import type { Failure } from '../../core/failure.ts';
import type { Context } from '../../core/context.ts';
import type { Json } from '../../core/json.ts';
import type { OutputOptions, View } from '../../output/view.ts';
import type { IdCache } from './id-cache.ts';
import type { RowWriter } from '../../output/print/row-writer.ts';
import type { EpochMs } from '../../core/unit-types.ts';

/** A spinner with a text, shown on a terminal only. */
export interface Progress {
  update(text: string): void;
  stop(): Promise<void>;
}

/** The Context, extended for one run of a command. */
export interface CommandContext extends Context {
  readonly output: OutputOptions;
  /** `--dry-run`: reads are sent, to find what the command is about. The first write is printed and ends the command. */
  readonly dryRun: boolean;
  /** `--yes`. */
  readonly yes: boolean;
  /** The ids that the words of the command line stand for, once they are resolved. */
  readonly ids: IdCache;
  /** The service's time, from the `Date` of its answers, to compute ages. */
  readonly serviceNow: () => EpochMs;
  /**
   * The service's time before the first request, to compute a time such as `10m` ago. Sends a request only to
   * the local service of this process, and with `overHttp` to an address of this machine, where the local service may
   * answer; for other services it returns this machine's time.
   */
  readonly fetchServiceNow: (options?: { readonly overHttp?: boolean }) => Promise<number>;
  /** Prints one line on stderr. Control characters are escaped, line feeds included. */
  tell(line: Message): Promise<void>;
  /** Prints rows as a table on stderr, as wide as its terminal. */
  tellRows(view: View, rows: readonly Json[]): Promise<void>;
  progress(text: string): Progress;
  rows(view: View): RowWriter;
  /**
   * Ends a dry run of several requests by printing all of them. `failure` is why others would be refused: the dry run ends with
   * it, and prints nothing else where there is no request.
   */
  previewAll(requests: readonly ApiRequest[], failure?: Failure): Promise<never>;
  /**
   * Sets the command line that resumes the current wait; printed if the command is interrupted, with what goes on and is paid
   * without it.
   */
  setResumeCommand(commandLine: CommandLine | undefined, stillRunning?: () => Message | undefined): void;
}
