import { EXIT, type ExitCode } from './exit-codes.ts';
import { type AccountWords, berth, type CommandLine, type Message, printed, sentence } from './message.ts';
import type { Seconds } from './unit-types.ts';

export interface FailureFacts {
  readonly code: string;
  readonly exit: ExitCode;
  readonly message: string;
  readonly hint?: Message | undefined;
  readonly status?: number | undefined;
  /** `title`, `detail` and `errors` of the service's own problem document (specification 7.1). */
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  readonly errors?: readonly string[] | undefined;
  readonly retryAfter?: Seconds | undefined;
  readonly request?: { readonly method: string; readonly url: string; readonly id?: string } | undefined;
  readonly id?: string | undefined;
}

/** An Error with the members that the constructor of Failure assigns. */
const ErrorWithFacts = Error as unknown as new (message: string, options?: ErrorOptions) => Error & FailureFacts;

/** The only error thrown on purpose. Any other error is a bug and exits 1. */
export class Failure extends ErrorWithFacts {
  override readonly name = 'Failure';

  constructor(facts: FailureFacts, cause?: unknown) {
    super(facts.message, cause === undefined ? undefined : { cause });
    Object.assign(this, facts);
  }

  with(facts: Partial<FailureFacts>): Failure {
    return new Failure({ ...this.facts(), ...facts }, this.cause);
  }

  facts(): FailureFacts {
    const { name: _, code, exit, message, ...facts } = this;
    return { code, exit, message, ...facts };
  }
}

export const printedFacts = ({ hint, ...facts }: FailureFacts, settings: { readonly accountWords: AccountWords }) =>
  hint === undefined ? facts : { ...facts, hint: printed(hint, settings) };

/** Rethrows what is no Failure, and every error after an interrupt, which ends the command. */
export function rethrowUnlessFailure(
  error: unknown,
  { signal }: { readonly signal: AbortSignal },
): asserts error is Failure {
  if (!(error instanceof Failure) || signal.aborted) throw error;
}

/** Undefined where it fails. Rethrows as `rethrowUnlessFailure` does. */
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

/** (2): refused before anything was sent. */
export const usage = (message: string, hint?: Message): Failure =>
  new Failure({ code: 'usage', exit: EXIT.usage, message, hint });

/** (8): the result of an accepted request does not match what was asked. `checkCommand` shows it. */
export const unknownOutcome = (message: string, checkCommand: CommandLine | undefined, id?: string): Failure =>
  new Failure({
    code: 'outcome-unknown',
    exit: EXIT.unknown,
    message,
    hint: checkCommand === undefined ? undefined : sentence`Before trying again, find out: ${checkCommand}`,
    id,
  });

/** (14). The message names the file. */
export const localFile = (message: string, hint?: Message, cause?: unknown): Failure =>
  new Failure({ code: 'local-file', exit: EXIT.localFile, message, hint }, cause);

/** The failure for Ctrl-C (130), and for SIGTERM, a closed terminal or Ctrl-\\ (143). The hint says how to continue. */
export function interrupted(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT', hint?: Message): Failure {
  const code = signal === 'SIGINT' ? 'interrupted' : 'terminated';
  return new Failure({ code, exit: EXIT[code], message: code, hint });
}

export const isNotFound = (error: unknown): error is Failure =>
  error instanceof Failure && error.exit === EXIT.notFound;

/** The code of a request with a fallback whose address has nothing: nothing was sent. */
export const ABSENT = 'absent';

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });

export const isInterrupt = (error: unknown): error is Failure =>
  error instanceof Failure && (error.exit === EXIT.interrupted || error.exit === EXIT.terminated);

/** The failure for a closed stdout, as after `| head -1`. The command ends at once without a message and exits 0. */
export const closedPipe = (): Failure =>
  new Failure({ code: 'closed-pipe', exit: EXIT.done, message: 'the reader of the output is gone' });

export const noKey = (): Failure =>
  new Failure({
    code: 'no-key',
    exit: EXIT.denied,
    message: 'no API key is configured',
    hint: sentence`Log in: ${berth`auth login`}. Or try it without an account, on the local service: add --local.`,
  });
