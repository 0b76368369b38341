import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunRecords } from '../../../../src/batch/model/run-records.ts';
import type { Ending } from '../../../../src/batch/model/item-states.ts';
import { parseStoreAddress } from '../../../../src/batch/stores/postgres/database/store-address.ts';
import { openDatabase } from '../../../../src/batch/stores/postgres/database/database.ts';
import { prepareTables } from '../../../../src/batch/stores/postgres/migrations.ts';
import { fileStore, sharedStore, type StoreUnderTest } from '../../../support/batch/two-stores.ts';
import { describeWithPostgres, useCluster } from '../../../support/postgres/postgres.ts';

const ITEMS = 11;
const SHARD_ITEMS = 4;

/** What happens to an item next: where its state does not allow it, nothing happens. */
type Step =
  | { readonly kind: 'send' | 'accept' | 'withdraw' | 'lose' | 'refuse' | 'end'; readonly item: number }
  | { readonly kind: 'crash' | 'reopen' };

const ENDINGS: readonly Ending[] = ['completed', 'failed', 'cancelled', 'timedOut', 'expired'];
/** The service ends the job of an item always in the same way. */
const endingOf = (item: number): Ending => ENDINGS[item % ENDINGS.length] ?? 'completed';

const steps = fc.array(
  fc.oneof(
    {
      weight: 20,
      arbitrary: fc.record({
        kind: fc.constantFrom('send', 'send', 'accept', 'accept', 'withdraw', 'lose', 'refuse', 'end', 'end'),
        item: fc.integer({ min: 1, max: ITEMS }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('crash', 'reopen') }) },
  ),
  { maxLength: 120 },
) as fc.Arbitrary<readonly Step[]>;

/** What the service knows: a store that lost a result asks again. */
interface Service {
  readonly jobs: Map<number, string>;
  readonly ended: Set<number>;
  readonly refuses: Set<number>;
}

/** Plays a history on one store. Returns its account at the end. */
async function play(store: StoreUnderTest, history: readonly Step[]) {
  const service: Service = { jobs: new Map(), ended: new Set(), refuses: new Set() };
  let { records } = await store.open();
  for (const step of history) {
    if ('item' in step) await apply(records, service, step.kind, step.item);
    else {
      await (step.kind === 'crash' ? store.crash() : store.close());
      const opened = await store.open();
      ({ records } = opened);
      for (const { item, job } of opened.jobs) expect(job).toBe(service.jobs.get(item));
      for (const { item } of opened.jobs) if (service.ended.has(item)) await end(records, service, item);
      for (const item of service.refuses) if (records.states.stateOf(item) === 'waiting') await refuse(records, item);
    }
  }
  await store.close();
  return await store.account();
}

async function apply(records: RunRecords, service: Service, kind: Step['kind'], item: number): Promise<void> {
  const state = records.states.stateOf(item);
  if (kind === 'send' && state === 'waiting') await records.record(item, { kind: 'send' });
  if (kind === 'end' && state === 'submitted') {
    service.ended.add(item);
    await end(records, service, item);
  }
  if (state !== 'sending') return;
  if (kind === 'accept') {
    const job = `job-${String(item)}`;
    service.jobs.set(item, job);
    await records.record(item, { kind, job }, { at: 1 });
  }
  if (kind === 'withdraw' || kind === 'lose') await records.record(item, { kind });
  if (kind === 'refuse') {
    service.refuses.add(item);
    await records.saveResult({ item }, { status: 'REFUSED' }, { kind });
  }
}

const end = (records: RunRecords, { jobs }: Service, item: number): Promise<void> =>
  records.saveResult({ item, job: jobs.get(item) }, { status: 'X' }, { kind: 'end', ending: endingOf(item) });

async function refuse(records: RunRecords, item: number): Promise<void> {
  await records.record(item, { kind: 'send' });
  await records.saveResult({ item }, { status: 'REFUSED' }, { kind: 'refuse' });
}

describeWithPostgres('both stores of a batch', () => {
  const cluster = useCluster();

  test('have the same account after the same history, with crashes and takeovers', async () => {
    const { address, password = '' } = parseStoreAddress(cluster().url(await cluster().createDatabase()), {});
    const database = await openDatabase({ address, password: () => Promise.resolve(password) });
    let runs = 0;
    try {
      await prepareTables(database, 'create');
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          runs += 1;
          const shared = await sharedStore(database, `batch-${String(runs)}`, ITEMS, SHARD_ITEMS);
          expect(await play(shared, history)).toEqual(await play(fileStore(ITEMS), history));
        }),
        { numRuns: 40 },
      );
    } finally {
      await database.close();
    }
  });
});
