import { expect, test } from 'vitest';
import { countSubmissions } from '../../../../support/batch/check-journal.ts';
import { write, type BatchWorld } from '../../../../support/batch/command-fixture.ts';
import { batchIn, createStoreWorld } from '../../../../support/batch/store-world.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import { createFaultProxy } from '../../../../support/storage/fault-proxy.ts';
import { describeWithS3, S3_ENV } from '../../../../support/storage/s3-peer.ts';

/** Two jobs that end soon and one that does not. */
const INPUT = [0.01, 0.01, 3600].map((seconds, at) => `${JSON.stringify({ seconds, n: at + 1 })}\n`).join('');

/** Resolves when the service has all three jobs. They are sent one after the other, so the driver has two results then. */
async function waitForJobs({ store }: BatchWorld): Promise<void> {
  const jobs = new Map<string, number>();
  while (jobs.size < 3) {
    await new Promise(setImmediate);
    // Before the first request there is nothing to count.
    await countSubmissions(store, jobs).catch(() => undefined);
  }
}

describeWithPostgres('a driver whose results go to object storage', () => {
  const cluster = useCluster();

  describeWithS3('after Ctrl-C', (peer) => {
    const driverAt = async (endpoint: string) => {
      const { world } = await createStoreWorld(cluster());
      Object.assign(world.env, S3_ENV);
      write(world, 'in.jsonl', INPUT);
      const out = ['--out', `s3://${await peer().createBucket()}/parts`, '--s3-endpoint', endpoint];
      return { world, words: ['run', 'sleep', '--input', 'in.jsonl', '--name', 'nightly', '--in-flight', '1', ...out] };
    };
    const statusOf = async (world: BatchWorld): Promise<unknown> =>
      JSON.parse((await batchIn(world, 'status', 'nightly')).out);

    test('publishes the results that it has', async () => {
      const { world, words } = await driverAt(peer().endpoint);
      const running = batchIn(world, ...words);
      await waitForJobs(world);
      world.signal('SIGINT');
      const ran = await running;
      expect([ran.code, ran.err]).toEqual([130, ran.err]);
      expect(await statusOf(world)).toMatchObject({ completed: 2, inFlight: 1, holds: true });
    });

    test('ends at the second Ctrl-C, while the storage does not answer', async () => {
      // The marker of the folder is written first.
      let isSilent = false;
      const { requests, endpoint } = await createFaultProxy(peer().endpoint, (_, method) =>
        isSilent && method === 'PUT' ? 'silence' : 'none',
      );
      const { world, words } = await driverAt(endpoint);
      const running = batchIn(world, ...words);
      await waitForJobs(world);
      isSilent = true;
      const before = requests.length;
      world.signal('SIGINT');
      while (!requests.slice(before).some((each) => each.startsWith('PUT'))) await new Promise(setImmediate);
      world.signal('SIGINT');
      const ran = await running;
      expect([ran.code, ran.err]).toEqual([130, ran.err]);
      expect(await statusOf(world)).toMatchObject({ completed: 0, inFlight: 3, holds: true });
    });
  });
});
