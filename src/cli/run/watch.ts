import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure, isInterrupt } from '../../core/failure.ts';
import type { Result } from '../../output/view.ts';
import { styled } from '../../output/text/terminal-text.ts';
import { openWatchView } from '../../output/live/watch-view.ts';
import type { Command, Values, WatchSpec } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { every } from '../until.ts';
import { untilAborted } from '../../core/until-aborted.ts';

/** Failed polls in a row; then fails as the last one did. */
const MAX_FAILURES = 10;

/** Ends 0 on q or when the row is gone, 130/143 on signals. Failed polls (6, 7) are retried after a success. */
export async function watch(
  ctx: CommandContext,
  command: Command & { readonly watch: WatchSpec },
  values: Values,
): Promise<ExitCode> {
  const { ended, bell } = command.watch;
  const quit = new AbortController();
  const intervalMs = Number(values['interval']);
  const onQuit = (): void => {
    quit.abort(new Error('the user quit'));
  };
  const live = await openWatchView(ctx.output, ctx, { intervalMs, onQuit });
  const anyEnd = AbortSignal.any([ctx.signal, quit.signal]);
  let first: Result | undefined;
  let [shownAt, failures] = [0, 0];
  let hasEnded = false;
  let gone: Failure | undefined;
  /** The exit code, once it has ended. */
  const poll = async (): Promise<ExitCode | undefined> => {
    try {
      const result = await untilAborted(quit.signal, command.run(ctx, values));
      [shownAt, failures] = [ctx.clock.monotonic(), 0];
      first ??= result;
      await live.show(result);
      return ended?.(result, first) === true ? (result.exit ?? EXIT.done) : undefined;
    } catch (error) {
      if (first === undefined || ctx.signal.aborted || !(error instanceof Failure)) throw error;
      if (error.exit === EXIT.notFound) {
        gone = error;
        return EXIT.done;
      }
      failures += 1;
      const isTemporary = error.exit === EXIT.unavailable || error.exit === EXIT.rateLimited;
      if (!isTemporary || failures >= MAX_FAILURES) throw error;
      await live.stale(error.message, ctx.clock.monotonic() - shownAt);
      return undefined;
    }
  };
  try {
    for (;;) {
      const exit = await poll();
      hasEnded = exit !== undefined;
      if (exit !== undefined) return exit;
      await every(ctx, intervalMs, { signal: anyEnd });
    }
  } catch (error) {
    if (ctx.signal.aborted && isInterrupt(error)) return error.exit;
    if (quit.signal.aborted && error === quit.signal.reason) return EXIT.done;
    throw error;
  } finally {
    await live.close(hasEnded);
    if (hasEnded && bell === true && ctx.terminal.errors && ctx.terminal.redraws)
      await ctx.stderr.write(styled`\u0007`);
    if (gone !== undefined) await ctx.tell(`${gone.message}: the watch has ended`);
  }
}
