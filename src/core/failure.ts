import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommandLine, printed, sentence, type Message } from './message.ts';
import type { AccountWords } from './ports/account-words.ts';
import type { Seconds } from './unit-types.ts';

/** The request that failed: method and address, never its headers or body. */
export interface RequestName {
  readonly method: string;
  readonly url: string;
  /** Its `x-request-id` header; absent when it was not sent. */
  readonly id?: string;
}

/** The contents of an error message and of an error object. Members that do not apply are absent. */
export interface FailureFacts {
  /** A short stable identifier for scripts, such as `not-found` or `rate-limited`. */
  readonly code: string;
  readonly exit: ExitCode;
  /** What happened, one sentence without a final stop. */
  readonly message: string;
  /** What to do next; one line per suggestion. */
  readonly hint?: Message | undefined;
  /** The HTTP status of the answer, if there was one. */
  readonly status?: number | undefined;
  /** `title`, `detail` and `errors` of the service's own problem document (specification 7.1). */
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  readonly errors?: readonly string[] | undefined;
  readonly retryAfter?: Seconds | undefined;
  readonly request?: RequestName | undefined;
  /** The id of the job, pod or other resource that the command was about, if it is known. */
  readonly id?: string | undefined;
}

/** The contents of an error with its hint as it is printed. */
export type PrintedFacts = Omit<FailureFacts, 'hint'> & { readonly hint?: string };

/**
 * An error that ends a command. Every layer throws only this on purpose. Any other error is a bug and exits 1.
 */
export class Failure extends Error implements FailureFacts {
  override readonly name = 'Failure';
  declare readonly code: string;
  declare readonly exit: ExitCode;
  declare readonly hint: Message | undefined;
  declare readonly status: number | undefined;
  declare readonly title: string | undefined;
  declare readonly detail: string | undefined;
  declare readonly errors: readonly string[] | undefined;
  declare readonly retryAfter: number | undefined;
  declare readonly request: RequestName | undefined;
  declare readonly id: string | undefined;

  constructor(facts: FailureFacts, cause?: unknown) {
    super(facts.message, cause === undefined ? undefined : { cause });
    Object.assign(this, facts);
  }

  /** Returns a copy with some facts replaced, for a layer above that knows more (an id, a better hint). */
  with(facts: Partial<FailureFacts>): Failure {
    return new Failure({ ...this.facts(), ...facts }, this.cause);
  }

  /** Returns the facts without absent members, for the JSON form of the error. */
  facts(): FailureFacts {
    const { code, exit, message, hint, status, title, detail, errors, retryAfter, request, id } = this;
    const all = { code, exit, message, hint, status, title, detail, errors, retryAfter, request, id };
    return Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined),
    ) as unknown as FailureFacts;
  }
}

/** The facts as they are printed: `settings` are of this run. */
export function printedFacts(
  { hint, ...facts }: FailureFacts,
  settings: { readonly accountWords: AccountWords },
): PrintedFacts {
  return hint === undefined ? facts : { ...facts, hint: printed(hint, settings) };
}

/** Rethrows what is no Failure, and every error after an interrupt, which ends the command. */
export function rethrowUnlessFailure(
  error: unknown,
  { signal }: { readonly signal: AbortSignal },
): asserts error is Failure {
  if (!(error instanceof Failure) || signal.aborted) throw error;
}

/** The result of `work`; undefined where it fails. Rethrows as `rethrowUnlessFailure` does. */
export async function unlessFailed<T>(
  ctx: { readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return undefined;
  }
}

/** A usage failure (2): refused before anything was sent. */
export const usage = (message: string, hint?: Message): Failure =>
  new Failure({ code: 'usage', exit: EXIT.usage, message, hint });

/**
 * What became of a request that the service accepted is not known (8): what is seen afterwards is not what it asked for.
 * `checkCommand` shows it.
 */
export const unknownOutcome = (message: string, checkCommand: CommandLine | undefined, id?: string): Failure =>
  new Failure({
    code: 'outcome-unknown',
    exit: EXIT.unknown,
    message,
    hint: checkCommand === undefined ? undefined : sentence`Before trying again, find out: ${checkCommand}`,
    id,
  });

/** A failure with a file of the user's (14). The message names the file. */
export const localFile = (message: string, hint?: Message, cause?: unknown): Failure =>
  new Failure({ code: 'local-file', exit: EXIT.localFile, message, hint }, cause);

/** The failure for Ctrl-C (130), and for SIGTERM, a closed terminal or Ctrl-\\ (143). The hint says how to continue. */
export const interrupted = (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT', hint?: Message): Failure =>
  new Failure({
    code: signal === 'SIGINT' ? 'interrupted' : 'terminated',
    exit: signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated,
    message: signal === 'SIGINT' ? 'interrupted' : 'terminated',
    hint,
  });

/** Whether the service does not have what a request was about. */
export const isNotFound = (error: unknown): error is Failure =>
  error instanceof Failure && error.exit === EXIT.notFound;

/** The code of a request with a fallback whose address has nothing: nothing was sent. */
export const ABSENT = 'absent';

/** The message of an error, or what was thrown as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What was thrown, as an Error: it itself where it is one. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });

/** Whether a failure is that of an interrupt. */
export const isInterrupt = (error: unknown): error is Failure =>
  error instanceof Failure && (error.exit === EXIT.interrupted || error.exit === EXIT.terminated);

/** The failure for a closed stdout, as after `| head -1`. The command ends at once without a message and exits 0. */
export const closedPipe = (): Failure =>
  new Failure({ code: 'closed-pipe', exit: EXIT.done, message: 'the reader of the output is gone' });
