import type { Clock } from '../../core/context.ts';

/** A delay that only `wake` ends. */
export const NEVER = Number.POSITIVE_INFINITY;

/**
 * Runs a step repeatedly: after each call of `wake` (several calls at the same moment cause one run), and when the delay
 * is over. Creates a scheduler that keeps one timer: most delays end early by `wake`, and a timer for each would be
 * slow.
 */
export function createScheduler(clock: Clock) {
  let next: (() => void) | undefined;
  let wakePending = false;
  let timer: { readonly endsAt: number; readonly abort: AbortController } | undefined;

  const wake = (): void => {
    if (wakePending) return;
    wakePending = true;
    // Deferred, so that further wake-ups of the same moment share the step.
    if (next !== undefined) void Promise.resolve().then(next);
  };
  const wakeAt = (endsAt: number): void => {
    if (timer !== undefined && timer.endsAt <= endsAt) return;
    timer?.abort.abort(new Error('replaced by a shorter timer'));
    const started = { endsAt, abort: new AbortController() };
    timer = started;
    clock.sleep(endsAt - clock.monotonic(), started.abort.signal).then(
      () => {
        if (timer === started) timer = undefined;
        wake();
      },
      () => undefined,
    );
  };

  const run = async (step: () => number | undefined): Promise<void> => {
    let failed: { readonly error: unknown } | undefined;
    await new Promise<void>((resolve) => {
      next = () => {
        wakePending = false;
        try {
          const delayMs = step();
          if (delayMs === undefined) resolve();
          else if (delayMs !== NEVER) wakeAt(clock.monotonic() + delayMs);
        } catch (error) {
          failed = { error };
          resolve();
        }
      };
      next();
    });
    next = undefined;
    timer?.abort.abort(new Error('the run has ended'));
    if (failed !== undefined) throw failed.error;
  };
  return {
    /** Runs the step soon. */
    wake /**
     * Runs `step` immediately and then repeatedly until it returns undefined, which means that no work is left. Otherwise
     * it returns the milliseconds until it must run again. Fails as `step` does.
     */,
    run,
  };
}
