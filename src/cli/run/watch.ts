import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure, isInterrupt } from '../../core/failure.ts';
import type { Result } from '../../output/view.ts';
import { styled } from '../../output/text/terminal-text.ts';
import { openWatchView, type WatchView } from '../../output/live/watch-view.ts';
import type { Command, Values, WatchSpec } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { every } from '../until.ts';
import { untilAborted } from './until-aborted.ts';

/** Failed polls in a row; then fails as the last one did. */
const MAX_FAILURES = 10;

/** Ends 0 on q or when the row is gone, 130/143 on signals. Failed polls (6, 7) are retried after a success. */
export async function watch(
  ctx: CommandContext,
  command: Command & { readonly watch: WatchSpec },
  values: Values,
): Promise<ExitCode> {
  const quit = new AbortController();
  const intervalMs = Number(values['interval']);
  const onQuit = (): void => {
    quit.abort(new Error('the user quit'));
  };
  const live = await openWatchView(ctx.output, ctx, { intervalMs, onQuit });
  let hasEnded = false;
  let gone: Failure | undefined;
  const onGone = (failure: Failure): void => {
    gone = failure;
  };
  try {
    const poll = (): Promise<Result> => untilAborted(quit.signal, command.run(ctx, values));
    const exit = await repeat(ctx, { poll, live, intervalMs, ended: command.watch.ended, onGone, signal: quit.signal });
    hasEnded = true;
    return exit;
  } catch (error) {
    if (ctx.signal.aborted && isInterrupt(error)) return error.exit;
    if (quit.signal.aborted && error === quit.signal.reason) return EXIT.done;
    throw error;
  } finally {
    await live.close(hasEnded);
    if (hasEnded && command.watch.bell === true && ctx.terminal.errors && ctx.terminal.redraws)
      await ctx.stderr.write(styled`\u0007`);
    if (gone !== undefined) await ctx.tell(`${gone.message}: the watch has ended`);
  }
}

interface Repeated {
  readonly poll: () => Promise<Result>;
  readonly live: WatchView;
  readonly intervalMs: number;
  readonly ended: WatchSpec['ended'];
  readonly onGone: (failure: Failure) => void;
  readonly signal: AbortSignal;
}

async function repeat(
  ctx: CommandContext,
  { poll, live, intervalMs, ended, onGone, signal }: Repeated,
): Promise<ExitCode> {
  const anyEnd = AbortSignal.any([ctx.signal, signal]);
  let first: Result | undefined;
  let shownAt = 0;
  let failures = 0;
  for (;;) {
    try {
      const result = await poll();
      [shownAt, failures] = [ctx.clock.monotonic(), 0];
      first ??= result;
      await live.show(result, shownAt);
      if (ended?.(result, first) === true) return result.exit ?? EXIT.done;
    } catch (error) {
      if (first === undefined || ctx.signal.aborted || !(error instanceof Failure)) throw error;
      if (error.exit === EXIT.notFound) {
        onGone(error);
        return EXIT.done;
      }
      failures += 1;
      const isTemporary = error.exit === EXIT.unavailable || error.exit === EXIT.rateLimited;
      if (!isTemporary || failures >= MAX_FAILURES) throw error;
      await live.stale(error.message, ctx.clock.monotonic() - shownAt);
    }
    await every(ctx, intervalMs, { signal: anyEnd });
  }
}
