import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Ending, type ItemEvent, type ItemState, nextState } from '../../../../src/batch/model/item-states.ts';
import { createRecords } from '../../../../src/batch/store/open-batch.ts';
import { recoverBatch } from '../../../../src/batch/store/open-batch.ts';
import { beginFiles, headerOf } from '../../../support/batch/begin-batch.ts';
import { memoryFiles } from '../../../support/batch/memory-files.ts';
import { OUT } from '../../../support/batch/runner-fixture.ts';

const ITEMS = 11;

/** What happens to an item next: where its state does not allow it, nothing happens. */
type Step =
  | { readonly kind: 'send' | 'accept' | 'withdraw' | 'lose' | 'refuse' | 'end'; readonly item: number }
  | { readonly kind: 'crash' };

const ENDINGS: readonly Ending[] = ['completed', 'failed', 'cancelled', 'timedOut', 'expired'];
const jobOf = (item: number): string => `job-${String(item)}`;

const steps = fc.array(
  fc.oneof(
    {
      weight: 20,
      arbitrary: fc.record({
        kind: fc.constantFrom('send', 'send', 'accept', 'accept', 'withdraw', 'lose', 'refuse', 'end', 'end'),
        item: fc.integer({ min: 1, max: ITEMS }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash') }) },
  ),
  { maxLength: 120 },
) as fc.Arbitrary<readonly Step[]>;

function eventOf({ kind, item }: Extract<Step, { item: number }>): ItemEvent {
  if (kind === 'accept') return { kind, job: jobOf(item) };
  return kind === 'end' ? { kind, ending: ENDINGS[item % ENDINGS.length] ?? 'completed' } : { kind };
}

test('a batch has the state of each item after any history with crashes, and the jobs of those that were accepted', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const files = memoryFiles();
      let batch = await beginFiles(files, OUT, headerOf(ITEMS));
      let records = createRecords(batch, () => 0);
      const expected = new Map<number, ItemState>();
      for (let item = 1; item <= ITEMS; item++) expected.set(item, 'waiting');
      const check = (): void => {
        for (const [item, state] of expected) expect([item, records.states.stateOf(item)]).toEqual([item, state]);
      };
      for (const step of history) {
        if (step.kind === 'crash') {
          // Every record was waited for, so nothing is lost that a crash would lose.
          await batch.close();
          for (const [item, state] of expected) if (state === 'sending') expected.set(item, 'unknown');
          batch = await recoverBatch(files, OUT, {});
          records = createRecords(batch, () => 0);
          check();
          const jobs = [...expected].flatMap(([item, state]) => (state === 'submitted' ? [[item, jobOf(item)]] : []));
          expect(batch.jobs.map(({ item, job }) => [item, job])).toEqual(expect.arrayContaining(jobs));
          expect(batch.jobs).toHaveLength(jobs.length);
          continue;
        }
        const event = eventOf(step);
        const after = nextState(expected.get(step.item) ?? 'waiting', event);
        if (after === undefined) continue;
        expected.set(step.item, after);
        const job = event.kind === 'end' ? { job: jobOf(step.item) } : {};
        if (event.kind === 'end' || event.kind === 'refuse')
          await records.saveResult({ item: step.item, ...job }, { status: 'X' }, event);
        else await records.record(step.item, event);
      }
      check();
      await batch.close();
    }),
    { numRuns: 40 },
  );
});
