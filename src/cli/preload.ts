import type { Context } from '../core/context.ts';
import { Failure, localFile } from '../core/failure.ts';
import { renderFailure } from '../output/failure.ts';
import { render } from '../output/render.ts';
import type { OutputOptions, Result } from '../output/view.ts';

/**
 * Loads what printing a result, notes and a failure will need, for a command that runs for hours: an upgrade may have
 * taken the files of this version away by then. Prints nothing.
 */
export async function preloadOutput(context: Context, output: OutputOptions, sample: Result): Promise<void> {
  const nowhere = { write: () => Promise.resolve() };
  const quiet = { ...context, stdout: nowhere, stderr: nowhere, serviceNow: () => context.clock.now() };
  await Promise.all([
    import('./fail.ts'),
    import('../output/prose.ts'),
    import('../output/json.ts'),
    // Its filter was compiled when the command began; here it has nothing to filter.
    render(sample, { ...output, jq: undefined }, quiet),
    ...(['text', 'json'] as const).map((format) => renderFailure(localFile('nothing'), format, quiet)),
    ...(output.jq === undefined ? [] : [import('../output/jq.ts')]),
  ]).catch((error: unknown) => {
    // What cannot be loaded now is said now; what a sample cannot be printed as, the result may.
    if (!(error instanceof Failure)) throw error;
  });
}
