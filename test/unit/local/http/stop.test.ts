import { describe, expect, it } from 'vitest';
import { LOCAL_KEY } from '../../../../src/local/http/auth.ts';
import { createLocalService } from '../../../../src/local/service.ts';
import { memoryStore } from '../../../../src/local/state/store.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { fetchFrom } from '../../../support/local/fetch-from.ts';

describe('a service that stops', () => {
  it('ends waiting requests', async () => {
    const clock = createTestClock();
    const service = createLocalService({ clock, random: () => 0, store: memoryStore(), queueLimits: false });
    service.start(0);
    await service.stop();
    const late = await fetchFrom(
      service,
      new Request('http://localhost/local/status', { headers: { Authorization: `Bearer ${LOCAL_KEY}` } }),
    );
    expect(late.status).toBe(200);
  });
});
