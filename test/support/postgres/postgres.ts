import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { POSTGRES_TEMPLATE } from '../environment/test-environment.ts';
import { createCluster, findPostgres, type Cluster, type ClusterOptions } from './cluster.mjs';

const isInstalled = findPostgres() !== undefined;
if (!isInstalled) console.log('note: PostgreSQL 15 or newer is not installed, the tests that need it are skipped');

/** As `describe`, for tests that need PostgreSQL: they are skipped where it is not installed. */
export const describeWithPostgres = describe.skipIf(!isInstalled);

/** Starts one cluster for all tests of a `describe`. Returns a function that returns it, to be called in a test. */
export function useCluster(options: ClusterOptions = {}): () => Cluster {
  let cluster: Cluster | undefined;
  beforeAll(async () => {
    cluster = await createCluster({ template: join(tmpdir(), POSTGRES_TEMPLATE), ...options });
  });
  afterAll(async () => {
    await cluster?.remove();
  });
  return () => {
    if (cluster === undefined) throw new Error('the cluster is started when the tests begin');
    return cluster;
  };
}
