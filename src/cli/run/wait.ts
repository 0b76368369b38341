import type { CommandContext } from '../model/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { asError, Failure } from '../../core/failure.ts';
import { type CommandLine, lines, type Message, sentence } from '../../core/message.ts';
import { type Absence, askUntilThere } from '../../core/not-there-yet.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';

interface WaitOptions<T> {
  /** In messages: `job abc`, `pod abc to be RUNNING`. */
  readonly what: string;
  readonly poll: (leftMs: Milliseconds) => Promise<T>;
  readonly done: (state: T) => boolean;
  readonly describe: (state: T) => string;
  /** Printed on stderr after a poll that did not end the wait. */
  readonly notice?: () => Promise<readonly Message[]>;
  readonly timeoutMs: Milliseconds;
  readonly resumeCommand: CommandLine;
  /** What still runs and costs money if the wait ends early, and the command that ends it. */
  readonly stillRunning?: (state: T) => Message | undefined;
  readonly id?: string;
  /** The command has sent nothing before: a service that is away at once is its failure. */
  readonly isFirst?: boolean;
}

const MIN_INTERVAL_MS = 250;
const MAX_INTERVAL_MS = 5000;

/** Whether a poll failed because the service is away or limits requests: a wait goes on until its own limit. */
export const isOutage = (error: unknown): error is Failure =>
  error instanceof Failure && ['unavailable', 'rate-limited'].includes(error.code);

/**
 * Polls until `done`, also while the service is away. The interval grows from a quarter of a second to five seconds and never
 * exceeds the time left. Fails with wait-ended (9) and the command that resumes the wait; on Ctrl-C with interrupted (130) and the same command.
 */
export async function waitFor<T>(ctx: CommandContext, options: WaitOptions<T>): Promise<T> {
  let last: { readonly state: T } | undefined;
  const stillRunning = (): Message | undefined => (last === undefined ? undefined : options.stillRunning?.(last.state));
  ctx.setResumeCommand(options.resumeCommand, stillRunning);
  const start = ctx.clock.monotonic();
  let answeredAt = start;
  const limitOfRequest = requestLimitNote(ctx, options.timeoutMs);
  let progress = ctx.progress(`waiting for ${options.what}`);
  try {
    let intervalMs = MIN_INTERVAL_MS;
    for (;;) {
      let outage: Failure | undefined;
      try {
        last = { state: await options.poll(options.timeoutMs - (ctx.clock.monotonic() - start)) };
        answeredAt = ctx.clock.monotonic();
      } catch (error) {
        if (!isOutage(error) || (options.isFirst === true && last === undefined)) throw error;
        outage = error;
      }
      if (last !== undefined && outage === undefined && options.done(last.state)) {
        ctx.setResumeCommand(undefined);
        return last.state;
      }
      const notes = [
        ...limitOfRequest(ctx.clock.monotonic() - start),
        ...((outage === undefined ? await options.notice?.() : undefined) ?? []),
      ];
      if (notes.length > 0) {
        // A spinner on the same line would mix with the text.
        await progress.stop();
        for (const line of notes) await ctx.tell(line);
        progress = ctx.progress(`waiting for ${options.what}`);
      }
      const leftMs = options.timeoutMs - (ctx.clock.monotonic() - start);
      if (leftMs <= 0) throw waitEnded(options, stillRunning(), outage);
      const now = ctx.clock.monotonic();
      const state =
        last === undefined || outage !== undefined
          ? `no answer from the service for ${formatDuration(now - answeredAt)}`
          : options.describe(last.state);
      progress.update(`${options.what}: ${state}, ${formatDuration(now - start)}`);
      await ctx.clock.sleep(Math.min(intervalMs, leftMs), ctx.signal);
      intervalMs = Math.min(intervalMs * 1.5, MAX_INTERVAL_MS);
    }
  } finally {
    await progress.stop();
  }
}

/** --timeout is often mistaken for a limit of the wait: says so once the wait lasted that long. */
function requestLimitNote({ settings }: CommandContext, timeoutMs: number): (elapsedMs: number) => readonly string[] {
  const limitMs = settings.source('timeout') === 'flag' ? settings.get('timeout') : Infinity;
  let isSaid = limitMs >= timeoutMs;
  return (elapsedMs) => {
    if (isSaid || elapsedMs < limitMs) return [];
    isSaid = true;
    return [
      `--timeout ${formatDuration(limitMs)} limits each request. This wait ends after ${formatDuration(timeoutMs)}: --wait-timeout.`,
    ];
  };
}

/** Wait-ended (9). Nothing is cancelled. */
export const waitEnded = (
  options: Pick<WaitOptions<never>, 'what' | 'timeoutMs' | 'resumeCommand' | 'id'>,
  stillRunning?: Message,
  outage?: Failure,
): Failure =>
  new Failure({
    code: 'wait-ended',
    exit: EXIT.waitEnded,
    message: `waited ${formatDuration(options.timeoutMs)} for ${options.what}, which has not finished${outage === undefined ? '' : `: ${outage.message}`}`,
    hint: lines(sentence`Go on waiting: ${options.resumeCommand}`, stillRunning),
    id: options.id,
  });

const INTERVAL_MS: Milliseconds = 500;

/** Retries a 404 of what was just created (a replica may lag) and says so on stderr. Fails as the request. */
export async function askAgain<T>(
  ctx: CommandContext,
  what: string,
  find: () => Promise<Absence | undefined>,
  request: () => Promise<T>,
): Promise<T> {
  const ask = askUntilThere(find);
  for (let count = 0; ; count++) {
    const answer = await ask(async () => ({ value: await request() }));
    if (answer !== undefined) return answer.value;
    if (count === 0)
      await ctx.tell(`${what} is not there yet: a replica of the service may lag. Asking again for up to a minute.`);
    await ctx.clock.sleep(INTERVAL_MS, ctx.signal);
  }
}

/** Rejects with the signal's reason at its abort, even while the work continues. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(asError(signal.reason));
    };
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
