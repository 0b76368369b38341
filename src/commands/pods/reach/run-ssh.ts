import { interrupted, type Failure } from '../../../core/failure.ts';
import type { ProgramStreams } from '../../../core/context.ts';
import type { Message } from '../../../core/message.ts';
import type { CommandContext } from '../../../cli/model/context.ts';

/** The exit code of ssh for an error of its own. */
export const SSH_FAILED = 255;

/** What the end of ssh by a signal means. */
interface Interruption {
  /** The command has a terminal of its own in the pod: it gets the keys, and ssh ends with its exit code. */
  readonly tty: boolean;
  readonly hint?: Message;
}

/**
 * Runs ssh on this terminal, and returns its exit code: that of the command, or 255 for an error of its own. Fails with
 * interrupted (130, 143), with this hint, where a signal ended it: ssh ends with 255 then too, or by the signal itself.
 */
export async function runSsh(
  ctx: CommandContext,
  args: readonly string[],
  { tty, hint }: Interruption,
): Promise<number> {
  let interrupt: Failure | undefined;
  const code = await ctx.spawn.run('ssh', args, {}, (signal) => {
    interrupt ??= interrupted(signal);
  });
  const isOwnEnd = code === SSH_FAILED || (!tty && code === interrupt?.exit);
  if (interrupt !== undefined && isOwnEnd) throw hint === undefined ? interrupt : interrupt.with({ hint });
  return code;
}

/** Runs ssh beside this program, and returns its exit code. The signal ends it. */
export async function runSshBeside(
  ctx: CommandContext,
  args: readonly string[],
  streams: ProgramStreams,
  signal = ctx.signal,
): Promise<number> {
  const program = await ctx.spawn.start('ssh', args, streams);
  const stop = (): void => {
    program.stop();
  };
  signal.addEventListener('abort', stop, { once: true });
  // It may have come while the program was started.
  if (signal.aborted) stop();
  const code = await program.ended;
  signal.removeEventListener('abort', stop);
  return code;
}
