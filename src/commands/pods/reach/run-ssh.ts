import { interrupted, type Failure } from '../../../core/failure.ts';
import type { Message } from '../../../core/message.ts';
import type { CommandContext } from '../../../cli/model/context.ts';

/** The exit code of ssh for an error of its own. */
export const SSH_FAILED = 255;

/**
 * Runs ssh on this terminal, and returns its exit code: that of the command, or 255 for an error of its own. Fails with
 * interrupted (130, 143), with this hint, where a signal ended it: ssh ends with 255 then too.
 */
export async function runSsh(ctx: CommandContext, args: readonly string[], hint?: Message): Promise<number> {
  let interrupt: Failure | undefined;
  const code = await ctx.spawn.run('ssh', args, {}, (signal) => {
    interrupt ??= interrupted(signal);
  });
  if (interrupt !== undefined && code === SSH_FAILED) throw hint === undefined ? interrupt : interrupt.with({ hint });
  return code;
}
