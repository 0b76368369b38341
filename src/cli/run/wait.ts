import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { formatDuration } from '../../core/units.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { type CommandLine, lines, type Message, sentence } from '../../core/message.ts';
import type { CommandContext } from '../model/context.ts';

/** A wait that polls. */
export interface WaitOptions<T> {
  /** What is waited for, for messages: `job abc`, `pod abc to be RUNNING`. */
  readonly what: string;
  /** Reads the state once. `leftMs` is the time left. */
  readonly poll: (leftMs: Milliseconds) => Promise<T>;
  readonly done: (state: T) => boolean;
  /** The state as text, for the spinner. */
  readonly describe: (state: T) => string;
  /** Lines to print on stderr after a poll that did not end the wait. */
  readonly notice?: () => Promise<readonly Message[]>;
  readonly timeoutMs: Milliseconds;
  /** The command line that resumes the wait. */
  readonly resumeCommand: CommandLine;
  /** What is still running and paid after the wait, and the command that ends it, by the last state; said where it ends early. */
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
        // A spinner on the same line would be mixed with the text.
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

/**
 * A function that tells, once a wait has lasted as long as --timeout, that this is no limit of the wait. It is easily taken
 * for one; nothing is told where it was not given on this command line.
 */
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

/** The failure of a wait that timed out: wait-ended (9). Nothing is cancelled. */
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
