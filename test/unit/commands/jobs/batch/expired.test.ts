import { describe, expect, test } from 'vitest';
import {
  commandIn,
  COUNT,
  createPlace,
  doIn,
  expectWhole,
  type Place,
  RESULTS,
} from '../../../../support/batch/batch-place.ts';
import { summary } from '../../../../support/batch/command-fixture.ts';

/** A place with a batch of which all items expired, while the service has their jobs. */
async function createExpired(): Promise<Place> {
  const place = await createPlace();
  place.service.forgets = true;
  expect((await doIn(place, 'one', 'run')).code).toBe(13);
  place.service.forgets = false;
  return place;
}

describe('items that expired', () => {
  test('are counted and named; a resume asks for them once more, and only --resubmit sends them again', async () => {
    const place = await createPlace();
    const { service } = place;
    service.forgets = true;
    const expired = { planned: COUNT, expired: COUNT, completed: 0, inFlight: 0, waiting: 0, resubmitted: 0 };
    const ran = await doIn(place, 'one', 'run');
    expect([ran.code, summary(ran)], ran.err).toMatchObject([13, expired]);
    const note = `${String(COUNT)} items expired, and may have run: 1-${String(COUNT)}. To ask for them once more, which costs nothing: berth jobs batch resume `;
    expect(ran.err).toContain(note);
    expect(ran.err).toMatch(/To send again as new jobs those that are not there: .* --resubmit expired/);
    expect(summary(await commandIn(place, 'status', RESULTS))).toMatchObject(expired);

    const asked = await doIn(place, 'one', 'resume');
    expect([asked.code, summary(asked)], asked.err).toMatchObject([13, expired]);
    expect(asked.err).toContain(note);
    expect(service.jobs).toHaveLength(COUNT);

    service.forgets = false;
    const found = await doIn(place, 'one', 'resume');
    expect([found.code, summary(found)], found.err).toMatchObject([
      0,
      { completed: COUNT, expired: 0, resubmitted: 0 },
    ]);
    expect(service.jobs).toHaveLength(COUNT);
    await expectWhole(place, 'one');
  });

  test('are asked for once more before they are sent again: what is there after all is not sent', async () => {
    const place = await createExpired();
    const { service } = place;
    service.lost.add(2);
    const ran = await commandIn(place, 'resume', RESULTS, '--resubmit', 'expired');
    expect([ran.code, summary(ran)], ran.err).toMatchObject([0, { completed: COUNT, expired: 0, resubmitted: 1 }]);
    expect(ran.err).toContain('1 item is sent again: some may run twice');
    expect(ran.err).toContain(`${String(COUNT - 1)} expired items are not sent again: the service has their jobs`);
    expect(service.jobs).toHaveLength(COUNT + 1);
    await expectWhole(place, 'one');
  });

  test('are not sent again, and keep their state, where the service cannot say whether it has them', async () => {
    const place = await createExpired();
    const { service } = place;
    service.refuses = true;
    const refused = await commandIn(place, 'resume', RESULTS, '--resubmit', 'expired');
    expect([refused.code, service.jobs.length], refused.err).toEqual([3, COUNT]);
    service.refuses = false;
    expect(summary(await commandIn(place, 'status', RESULTS))).toMatchObject({ expired: COUNT });
    const found = await doIn(place, 'one', 'resume');
    expect([found.code, summary(found)], found.err).toMatchObject([0, { completed: COUNT, resubmitted: 0 }]);
  });

  test('are sent again as new jobs where that is asked for', async () => {
    const place = await createExpired();
    const { service } = place;
    for (let job = 1; job <= COUNT; job++) service.lost.add(job);
    const ran = await commandIn(place, 'resume', RESULTS, '--resubmit', 'expired');
    expect([ran.code, summary(ran)], ran.err).toMatchObject([0, { completed: COUNT, expired: 0, resubmitted: COUNT }]);
    expect(ran.err).toContain('some may run twice');
    expect(service.jobs).toHaveLength(2 * COUNT);
    await expectWhole(place, 'one');
  });
});
