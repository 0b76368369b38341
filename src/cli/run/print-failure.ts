import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import type { Context } from '../../core/context.ts';
import { renderFailure } from '../../output/failure.ts';

/**
 * Says on stderr what went wrong and gives its exit code; never throws. A reader that closed its pipe has what it
 * wanted: quiet, 0.
 */
export async function printFailure(error: unknown, json: boolean, ctx: Context): Promise<ExitCode> {
  if (error instanceof Failure && error.code === 'closed-pipe') return EXIT.done;
  try {
    return await renderFailure(error, json ? 'json' : 'text', ctx);
  } catch {
    // stderr itself is gone: the exit code is all that can still be said.
    return error instanceof Failure ? error.exit : EXIT.bug;
  }
}
