import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { items, write } from '../../../../support/batch/command-fixture.ts';
import { batchIn, createStoreWorld } from '../../../../support/batch/store-world.ts';
import { createRealClock } from '../../../../support/clocks/real-clock.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import { createFaultProxy } from '../../../../support/storage/fault-proxy.ts';
import { describeWithS3 } from '../../../../support/storage/s3-peer.ts';

describeWithPostgres('a driver whose storage credentials expire', () => {
  const cluster = useCluster();

  describeWithS3('while parts are written', (peer) => {
    const expiring = async (refusal: 'expired' | 'denied' = 'expired') => {
      const { world } = await createStoreWorld(cluster(), { clock: createRealClock() });
      let puts = 0;
      // The first key expires when the marker and one part are there.
      const { endpoint } = await createFaultProxy(peer().endpoint, (_, method, authorization) => {
        const fault = puts >= 2 && authorization.includes('Credential=first-id/') ? refusal : 'none';
        if (method === 'PUT' && fault === 'none') puts += 1;
        return fault;
      });
      mkdirSync(join(world.directory, '.aws'));
      // A service that says only that it denies it is believed where the program of the profile says when the key expires.
      const printed = join(world.directory, 'printed.json');
      writeFileSync(join(world.directory, '.aws', 'config'), `[default]\ncredential_process = cat "${printed}"\n`);
      const store = (id: string): void => {
        if (refusal === 'denied') {
          const Expiration = id === 'first-id' ? '2020-01-01T00:00:00Z' : '2100-01-01T00:00:00Z';
          const credentials = { Version: 1, AccessKeyId: id, SecretAccessKey: 'hush-hush', Expiration };
          writeFileSync(printed, JSON.stringify(credentials));
          return;
        }
        const lines = ['[default]', `aws_access_key_id = ${id}`, 'aws_secret_access_key = hush-hush'];
        writeFileSync(join(world.directory, '.aws', 'credentials'), lines.join('\n'));
      };
      store('first-id');
      write(world, 'in.jsonl', items(12));
      const out = ['--out', `s3://${await peer().createBucket()}/parts`, '--s3-endpoint', endpoint];
      const words = ['run', 'echo', '--input', 'in.jsonl', '--name', 'nightly', '--shard-items', '3', ...out];
      return { world, store, running: batchIn(world, ...words) };
    };

    test('waits until the shared file has new ones, says so once, and completes the batch', async () => {
      const { world, store, running } = await expiring();
      while (!world.err().includes('Waiting for new credentials')) await new Promise(setImmediate);
      store('second-id');
      const ran = await running;
      expect([ran.code, ran.err]).toEqual([0, ran.err]);
      expect(JSON.parse(ran.out)).toMatchObject({ planned: 12, completed: 12 });
      expect(ran.err.match(/Waiting for new credentials/g)).toHaveLength(1);
      expect(ran.err).toContain('has expired. Waiting for');
      expect(ran.err).toContain('accepts the credentials now');
      expect(ran.out + ran.err).not.toContain('hush-hush');
    });

    test('waits also after AccessDenied to a key that has expired, as the program of the profile says', async () => {
      const { world, store, running } = await expiring('denied');
      while (!world.err().includes('Waiting for new credentials')) await new Promise(setImmediate);
      store('second-id');
      const ran = await running;
      expect([ran.code, ran.err]).toEqual([0, ran.err]);
      expect(JSON.parse(ran.out)).toMatchObject({ planned: 12, completed: 12 });
      expect(ran.out + ran.err).not.toContain('hush-hush');
    });

    test('ends at Ctrl-C, and another driver goes on', async () => {
      const { world, store, running } = await expiring();
      while (!world.err().includes('Waiting for new credentials')) await new Promise(setImmediate);
      world.signal('SIGINT');
      const ran = await running;
      expect([ran.code, ran.err]).toEqual([3, expect.stringContaining('ExpiredToken')]);
      store('second-id');
      const status = JSON.parse((await batchIn(world, 'status', 'nightly')).out) as Record<string, unknown>;
      expect(status).toMatchObject({ planned: 12, failed: 0, unknown: 0, holds: true });
    });
  });
});
