import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { formatDuration } from '../../core/units.ts';
import type { CommandContext } from '../context.ts';

export interface Waiting<T> {
  /** What is waited for, for people: `job abc`, `pod abc to be RUNNING`. */
  readonly what: string;
  /** Looks once. `leftMs` is what remains of the wait. */
  readonly poll: (leftMs: number) => Promise<T>;
  readonly done: (seen: T) => boolean;
  /** The state seen, for the spinner. */
  readonly describe: (seen: T) => string;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** The command line that goes on waiting. */
  readonly resumeCommand: string;
  readonly id?: string;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

/**
 * Looks until it is done, pausing longer each time (a quarter second up to five, and never past the end of the wait).
 * Fails with wait-ended (9) and the command that goes on; on Ctrl-C with interrupted (130) and the same command.
 */
export async function waitFor<T>(ctx: CommandContext, waiting: Waiting<T>): Promise<T> {
  ctx.setResumeCommand(waiting.resumeCommand);
  const start = ctx.clock.monotonic();
  const progress = ctx.progress(`waiting for ${waiting.what}`);
  try {
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const seen = await waiting.poll(waiting.timeoutMs - (ctx.clock.monotonic() - start));
      if (waiting.done(seen)) {
        ctx.setResumeCommand(undefined);
        return seen;
      }
      const leftMs = waiting.timeoutMs - (ctx.clock.monotonic() - start);
      if (leftMs <= 0) throw waitEnded(waiting);
      progress.update(`${waiting.what}: ${waiting.describe(seen)}, ${formatDuration(ctx.clock.monotonic() - start)}`);
      await ctx.clock.sleep(Math.min(pauseMs, leftMs), ctx.signal);
      pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
    }
  } finally {
    await progress.stop();
  }
}

/** A wait that ran out: exit 9, nothing is cancelled. */
export const waitEnded = (waiting: Pick<Waiting<never>, 'what' | 'timeoutMs' | 'resumeCommand' | 'id'>): Failure =>
  new Failure({
    code: 'wait-ended',
    exit: EXIT.waitEnded,
    message: `waited ${formatDuration(waiting.timeoutMs)} for ${waiting.what}, and it goes on`,
    hint: `Go on waiting: ${waiting.resumeCommand}`,
    id: waiting.id,
  });
