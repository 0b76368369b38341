import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import type { Context } from '../../core/context.ts';
import { renderFailure } from '../../output/failure.ts';

/** Never throws. If the reader of stdout closed its pipe: prints nothing, exit code 0. */
export async function printFailure(error: unknown, json: boolean, ctx: Context): Promise<ExitCode> {
  if (error instanceof Failure && error.code === 'closed-pipe') return EXIT.done;
  try {
    return await renderFailure(error, json ? 'json' : 'text', ctx);
  } catch {
    // stderr cannot be written to: only the exit code is left.
    return error instanceof Failure ? error.exit : EXIT.bug;
  }
}
