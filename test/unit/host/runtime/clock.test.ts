import { describe, expect, it, vi } from 'vitest';
import { interrupted } from '../../../../src/core/failure.ts';
import { realClock } from '../../../../src/host/runtime/runtime.ts';

describe('the real clock', () => {
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
