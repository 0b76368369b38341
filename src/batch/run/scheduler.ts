import type { Clock } from '../../core/context.ts';

/** A wait that only a ring ends, in milliseconds. */
export const NEVER = Number.POSITIVE_INFINITY;

/** Work that goes in rounds: one after a ring, for all who ring at the same moment, and one when a wait is over. */
export interface Rounds {
  readonly ring: () => void;
  /**
   * Goes round at once, and then until `round` gives undefined: nothing is left to do. Else it gives the milliseconds
   * until it has more. Fails as `round` does.
   */
  run(round: () => number | undefined): Promise<void>;
}

/** Rounds that keep one nap: most waits end by a ring, and a nap for each would cost more than the work between. */
export function createRounds(clock: Clock): Rounds {
  let next: (() => void) | undefined;
  let rung = false;
  let nap: { readonly endsAt: number; readonly end: AbortController } | undefined;

  const ring = (): void => {
    if (rung) return;
    rung = true;
    // Whoever rings meanwhile is heard together.
    if (next !== undefined) void Promise.resolve().then(next);
  };
  const wakeAt = (endsAt: number): void => {
    if (nap !== undefined && nap.endsAt <= endsAt) return;
    nap?.end.abort(new Error('a shorter nap is taken'));
    const own = { endsAt, end: new AbortController() };
    nap = own;
    clock.sleep(endsAt - clock.monotonic(), own.end.signal).then(
      () => {
        if (nap === own) nap = undefined;
        ring();
      },
      () => undefined,
    );
  };

  const run: Rounds['run'] = async (round) => {
    let failed: { readonly error: unknown } | undefined;
    await new Promise<void>((resolve) => {
      next = () => {
        rung = false;
        try {
          const waitMs = round();
          if (waitMs === undefined) resolve();
          else if (waitMs !== NEVER) wakeAt(clock.monotonic() + waitMs);
        } catch (error) {
          failed = { error };
          resolve();
        }
      };
      next();
    });
    next = undefined;
    nap?.end.abort(new Error('it is over'));
    if (failed !== undefined) throw failed.error;
  };
  return { ring, run };
}
