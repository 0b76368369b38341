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
}

const MIN_INTERVAL_MS = 250;
const MAX_INTERVAL_MS = 5000;

/**
 * Polls until `done`. The interval grows from a quarter of a second to five seconds and never exceeds the time left.
 * Fails with wait-ended (9) and the command that resumes the wait; on Ctrl-C with interrupted (130) and the same command.
 */
export async function waitFor<T>(ctx: CommandContext, options: WaitOptions<T>): Promise<T> {
  let last: { readonly state: T } | undefined;
  const stillRunning = (): Message | undefined => (last === undefined ? undefined : options.stillRunning?.(last.state));
  ctx.setResumeCommand(options.resumeCommand, stillRunning);
  const start = ctx.clock.monotonic();
  const limitOfRequest = requestLimitNote(ctx, options.timeoutMs);
  let progress = ctx.progress(`waiting for ${options.what}`);
  try {
    let intervalMs = MIN_INTERVAL_MS;
    for (;;) {
      const state = await options.poll(options.timeoutMs - (ctx.clock.monotonic() - start));
      last = { state };
      if (options.done(state)) {
        ctx.setResumeCommand(undefined);
        return state;
      }
      const notes = [...limitOfRequest(ctx.clock.monotonic() - start), ...((await options.notice?.()) ?? [])];
      if (notes.length > 0) {
        // A spinner on the same line would be mixed with the text.
        await progress.stop();
        for (const line of notes) await ctx.tell(line);
        progress = ctx.progress(`waiting for ${options.what}`);
      }
      const leftMs = options.timeoutMs - (ctx.clock.monotonic() - start);
      if (leftMs <= 0) throw waitEnded(options, stillRunning());
      progress.update(`${options.what}: ${options.describe(state)}, ${formatDuration(ctx.clock.monotonic() - start)}`);
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
): Failure =>
  new Failure({
    code: 'wait-ended',
    exit: EXIT.waitEnded,
    message: `waited ${formatDuration(options.timeoutMs)} for ${options.what}, which has not finished`,
    hint: lines(sentence`Go on waiting: ${options.resumeCommand}`, stillRunning),
    id: options.id,
  });
