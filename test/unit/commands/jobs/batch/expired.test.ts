import { describe, expect, test } from 'vitest';
import { commandIn, COUNT, createPlace, doIn, RESULTS } from '../../../../support/batch/batch-place.ts';
import { summary } from '../../../../support/batch/command-fixture.ts';

describe('items that expired', () => {
  test('are counted and named, and only --resubmit sends them again', async () => {
    const place = await createPlace();
    const { service } = place;
    service.forgets = true;
    const expired = { planned: COUNT, expired: COUNT, completed: 0, inFlight: 0, waiting: 0, resubmitted: 0 };
    const ran = await doIn(place, 'one', 'run');
    expect([ran.code, summary(ran)], ran.err).toMatchObject([13, expired]);
    expect(ran.err).toContain(
      `${String(COUNT)} items expired, and may have run: 1-${String(COUNT)}. Send again: berth`,
    );
    service.forgets = false;
    const asked = await doIn(place, 'one', 'resume');
    expect([asked.code, summary(asked)], asked.err).toMatchObject([13, expired]);
    expect(service.jobs).toHaveLength(COUNT);
    const again = await commandIn(place, 'resume', RESULTS, '--resubmit', 'expired');
    expect([again.code, summary(again)], again.err).toMatchObject([0, { completed: COUNT, resubmitted: COUNT }]);
    expect(again.err).toContain('some may run twice');
  });
});
