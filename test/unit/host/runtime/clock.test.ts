import { describe, expect, it, vi } from 'vitest';
import { interrupted } from '../../../../src/core/failure.ts';
import { realClock } from '../../../../src/host/runtime/runtime.ts';

describe('the real clock', () => {
  it('sleeps for the requested time, even beyond the longest timer', async () => {
    vi.useFakeTimers();
    try {
      let awake = false;
      void realClock.sleep(60 * 86_400_000).then(() => {
        awake = true;
      });
      await vi.advanceTimersByTimeAsync(59 * 86_400_000);
      expect(awake).toBe(false);
      await vi.advanceTimersByTimeAsync(2 * 86_400_000);
      expect(awake).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('rejects with the reason of an abort, before and during the sleep', async () => {
    const controller = new AbortController();
    const sleep = realClock.sleep(Number.POSITIVE_INFINITY, controller.signal);
    controller.abort(interrupted('SIGTERM'));
    await expect(sleep).rejects.toMatchObject({ exit: 143 });
    await expect(realClock.sleep(1, controller.signal)).rejects.toMatchObject({ exit: 143 });
  });

  it('has deadlines that pass and that can be cancelled', () => {
    vi.useFakeTimers();
    try {
      const kept = realClock.deadline(50);
      const cancelled = realClock.deadline(50);
      cancelled.cancel();
      vi.advanceTimersByTime(60);
      expect([kept.signal.aborted, cancelled.signal.aborted]).toEqual([true, false]);
    } finally {
      vi.useRealTimers();
    }
  });
});
