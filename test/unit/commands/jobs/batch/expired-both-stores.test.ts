import { describe, expect, test } from 'vitest';
import {
  commandIn,
  COUNT,
  doIn,
  expectWhole,
  filePlace,
  type Place,
  sharedPlace,
} from '../../../../support/batch/batch-place.ts';
import { summary } from '../../../../support/batch/command-fixture.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';

function promises(placeOf: () => Promise<Place>): void {
  test('are counted and named; a resume asks for them once more, and only --resubmit sends them again', async () => {
    const place = await placeOf();
    const { service } = place;
    service.forgets = true;
    const expired = { planned: COUNT, expired: COUNT, completed: 0, inFlight: 0, waiting: 0, resubmitted: 0 };
    const ran = await doIn(place, 'one', 'run');
    expect([ran.code, summary(ran)], ran.err).toMatchObject([13, expired]);
    const note = `${String(COUNT)} items expired, and may have run: 1-${String(COUNT)}. To run them again:`;
    expect(ran.err).toContain(note);
    expect(summary(await commandIn(place, 'one', 'status', place.batch('one')))).toMatchObject(expired);

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

  test('are sent again as new jobs where that is asked for', async () => {
    const place = await placeOf();
    const { service } = place;
    service.forgets = true;
    expect((await doIn(place, 'one', 'run')).code).toBe(13);
    service.forgets = false;
    const ran = await commandIn(place, 'one', 'resume', place.batch('one'), '--resubmit', 'expired');
    expect([ran.code, summary(ran)], ran.err).toMatchObject([0, { completed: COUNT, expired: 0, resubmitted: COUNT }]);
    expect(ran.err).toContain('some may run twice');
    expect(service.jobs).toHaveLength(2 * COUNT);
    await expectWhole(place, 'one');
  });
}

describe('items that expired, in a batch of files,', () => {
  promises(filePlace);
});

describeWithPostgres('items that expired, in a shared batch,', () => {
  const cluster = useCluster();
  promises(() => sharedPlace(cluster(), 1, 50));
});
