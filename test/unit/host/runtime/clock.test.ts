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
      const over: string[] = [];
      realClock.deadline(50, () => over.push('kept'));
      const cancel = realClock.deadline(50, () => over.push('cancelled'));
      cancel();
      vi.advanceTimersByTime(60);
      expect(over).toEqual(['kept']);
    } finally {
      vi.useRealTimers();
    }
  });
});
