import { describe, test } from 'vitest';
import { filePlace, sharedPlace } from '../../../../support/batch/batch-place.ts';
import { expectFinished, leftBatches, putBack, saveLeftBatches } from '../../../../support/batch/left-batches.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';

// With SAVE_BATCHES=1, batches of this build are saved, to be finished by the builds to come.
const isSaving = process.env['SAVE_BATCHES'] === '1';

describe('a batch of files that an earlier build left', () => {
  test.runIf(isSaving)('is saved', () => saveLeftBatches('file', filePlace));

  test.skipIf(isSaving).each(isSaving ? [] : leftBatches('file').map((left) => [left.when, left] as const))(
    'is finished by this one: %s',
    async (_, left) => {
      const place = await filePlace();
      await putBack(place, left);
      await expectFinished(place, left);
    },
  );
});

describeWithPostgres('a shared batch that an earlier build left', () => {
  const cluster = useCluster();

  test.runIf(isSaving)('is saved', () => saveLeftBatches('postgres', () => sharedPlace(cluster(), 1), cluster()));

  test.skipIf(isSaving).each(isSaving ? [] : leftBatches('postgres').map((left) => [left.when, left] as const))(
    'is finished by this one: %s',
    async (_, left) => {
      const place = await sharedPlace(cluster(), 1);
      await putBack(place, left, cluster());
      await expectFinished(place, left);
    },
  );
});
