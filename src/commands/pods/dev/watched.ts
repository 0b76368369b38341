import type { CommandContext } from '../../../cli/model/context.ts';
import type { SourceFolder } from './source-folder.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

/** Tells that something in a folder may have changed. */
export interface Watched {
  /** Resolves when something has changed since the last call, and nothing more for a while. */
  next(): Promise<void>;
  /** Watches again, by the rules of now. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** Editors write a file in several steps, and a burst has many files: what comes within this time is one change. */
const SETTLE_MS: Milliseconds = 100;
/** A burst that does not end is sent in parts of this length. */
const LONGEST_BURST_MS: Milliseconds = 2000;
/** How often a folder is read that cannot be watched. */
const POLL_MS: Milliseconds = 5000;

export async function watchSource(ctx: CommandContext, source: SourceFolder): Promise<Watched> {
  let changes = 0;
  let wake = (): void => undefined;
  let isPolled = false;
  const onChange = (): void => {
    changes += 1;
    wake();
  };
  const open = () =>
    ctx.watchFolder(source.root, {
      isIgnored: (path) => source.isIgnored(path),
      onChange,
      onUnwatched: (reason) => {
        if (!isPolled) void ctx.tell(`Not every file can be watched (${reason}): the folder is read every 5 s.`);
        isPolled = true;
        onChange();
      },
    });
  let close = await open();
  const changed = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      if (changes > 0) resolve();
    });
  return {
    next: async () => {
      const other = new AbortController();
      const signal = AbortSignal.any([ctx.signal, other.signal]);
      const poll = isPolled ? [ctx.clock.sleep(POLL_MS, signal).catch(() => undefined)] : [];
      await Promise.race([changed(), ...poll]);
      other.abort(new Error('it has changed'));
      const start = ctx.clock.monotonic();
      do {
        changes = 0;
        await ctx.clock.sleep(SETTLE_MS, ctx.signal);
      } while (changes > 0 && ctx.clock.monotonic() - start < LONGEST_BURST_MS);
      changes = 0;
    },
    renew: async () => {
      const before = close;
      close = await open();
      await before();
    },
    close: () => close(),
  };
}
