import { EXIT, type ExitCode } from './exit-codes.ts';

/** The request a failure belongs to: enough to find it again, never its headers or body. */
export interface RequestName {
  readonly method: string;
  readonly url: string;
}

/** Everything an error block or an error object may say. Members are absent where they do not apply. */
export interface FailureFacts {
  /** A short stable word for scripts, such as `not-found` or `rate-limited`. */
  readonly code: string;
  readonly exit: ExitCode;
  /** What happened, one sentence without a final stop. */
  readonly message: string;
  /** What to do next: one line each. */
  readonly hint?: string | undefined;
  /** The HTTP status of the answer, where there was one. */
  readonly status?: number | undefined;
  /** `title`, `detail` and `errors` of the service's own problem document (specification 7.1). */
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  readonly errors?: readonly string[] | undefined;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  readonly request?: RequestName | undefined;
  /** The id of what the command was about, where it is known: a job, a pod. */
  readonly id?: string | undefined;
}

/**
 * Anything that ends a command other than with a result. Every layer throws this and nothing else on purpose; what is
 * thrown otherwise is a bug and ends 1.
 */
export class Failure extends Error implements FailureFacts {
  override readonly name = 'Failure';
  readonly code: string;
  readonly exit: ExitCode;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly title: string | undefined;
  readonly detail: string | undefined;
  readonly errors: readonly string[] | undefined;
  readonly retryAfter: number | undefined;
  readonly request: RequestName | undefined;
  readonly id: string | undefined;

  constructor(facts: FailureFacts, cause?: unknown) {
    super(facts.message, cause === undefined ? undefined : { cause });
    this.code = facts.code;
    this.exit = facts.exit;
    this.hint = facts.hint;
    this.status = facts.status;
    this.title = facts.title;
    this.detail = facts.detail;
    this.errors = facts.errors;
    this.retryAfter = facts.retryAfter;
    this.request = facts.request;
    this.id = facts.id;
  }

  /** The same failure with some facts replaced, as a layer above learns more (an id, a better hint). */
  with(facts: Partial<FailureFacts>): Failure {
    return new Failure({ ...this.facts(), ...facts }, this.cause);
  }

  /** The facts alone, absent members left out: the JSON form of an error is made of these. */
  facts(): FailureFacts {
    const { code, exit, message, hint, status, title, detail, errors, retryAfter, request, id } = this;
    const all = { code, exit, message, hint, status, title, detail, errors, retryAfter, request, id };
    return Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined),
    ) as unknown as FailureFacts;
  }
}

/** Refused here, before anything was sent: exit 2. */
export const usage = (message: string, hint?: string): Failure =>
  new Failure({ code: 'usage', exit: EXIT.usage, message, hint });

/** Trouble with a file of the user's: exit 14. The message names the file. */
export const localFile = (message: string, hint?: string, cause?: unknown): Failure =>
  new Failure({ code: 'local-file', exit: EXIT.localFile, message, hint }, cause);

/** Ctrl-C (130), or a polite kill or a terminal that was closed (143). The hint says how to go on. */
export const interrupted = (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', hint?: string): Failure =>
  new Failure({
    code: signal === 'SIGINT' ? 'interrupted' : 'terminated',
    exit: signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated,
    message: signal === 'SIGINT' ? 'interrupted' : 'terminated',
    hint,
  });

/** The reader of stdout is gone, as after `| head -1`: the command ends at once, quietly, and exits 0. */
export const closedPipe = (): Failure =>
  new Failure({ code: 'closed-pipe', exit: EXIT.done, message: 'the reader of the output is gone' });
