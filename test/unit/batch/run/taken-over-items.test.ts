import { expect, test } from 'vitest';
import { readItems } from '../../../../src/batch/read/items/read-items.ts';
import type { Item } from '../../../../src/batch/read/items/item.ts';
import { createQueueClient } from '../../../../src/batch/run/queue-client.ts';
import { runItems } from '../../../../src/batch/run/runner.ts';
import type { RunRecords } from '../../../../src/batch/model/run-records.ts';
import { fileRecords } from '../../../../src/batch/stores/file/file-session.ts';
import { nextState } from '../../../../src/batch/model/item-states.ts';
import { EXIT } from '../../../../src/core/exit-codes.ts';
import { asId } from '../../../../src/core/ids.ts';
import { batchApiOf } from '../../../support/batch/batch-api.ts';
import { answerNormally, createScriptedService, failureWith } from '../../../support/batch/scripted-service.ts';

type Items = ReturnType<typeof readItems>;

/**
 * Runs a batch of five items with records that differ from those of a file. `onSent` may throw the failure of a submission.
 * Returns the bodies that were sent, and the end.
 */
async function runFive(
  differing: (records: RunRecords) => Partial<RunRecords>,
  onSent: (body: string) => void = () => undefined,
  itemsOf: (items: Items) => Items = (items) => items,
  concurrency = 8,
) {
  const { batch, clock, files } = await createScriptedService(5, answerNormally);
  const records = fileRecords(batch, () => clock.now());
  const sent: string[] = [];
  const end = await runItems({
    records: { ...records, ...differing(records) },
    options: { concurrency, rate: 99, inFlight: 100, maxFailures: 99, timeoutMs: 60_000, retryFailed: 0 },
    items: itemsOf(
      readItems(files.read('items.jsonl'), { path: 'items.jsonl', format: 'jsonl', maxBytes: 10_000_000 }),
    ),
    client: createQueueClient(
      batchApiOf(async ({ path, body }) => {
        const [, , operation, job] = path;
        if (operation !== 'run') return answer({ id: job ?? '', status: 'COMPLETED' });
        const text = Buffer.from((body as { readonly raw: Uint8Array }).raw).toString();
        onSent(text);
        sent.push(text);
        return answer({ id: `j${String(sent.length)}`, status: 'IN_QUEUE' });
      }),
      asId('echo'),
    ),
    clock,
    random: () => 0.5,
    interrupt: new AbortController().signal,
  });
  return { sent, end };
}

const answer = (value: { readonly id: string; readonly status: string }) => ({
  status: 200,
  headers: {},
  text: '',
  value,
});

test('an item whose shard was given up and claimed again since its intent was written is not sent', async () => {
  const asked = new Set<number>();
  const { sent, end } = await runFive(() => ({
    // The first question is asked when the intent is written, the second one before the request is sent.
    tenureOf: (item) => {
      if (item !== 3 || asked.has(item)) return item === 3 ? 2 : 1;
      asked.add(item);
      return 1;
    },
  }));
  expect(sent).toHaveLength(4);
  expect(sent.join()).not.toContain('"n":3');
  expect(end.counts).toMatchObject({ completed: 4, inFlight: 1 });
});

test('no item is sent before its own intent is written, when items of other shards are written earlier', async () => {
  let isWritten = false;
  let sentBefore: boolean | undefined;
  const { sent } = await runFive(
    (records) => ({
      // The record of item 1 is written after those of the others.
      record: async (item, event, data) => {
        await records.record(item, event, data);
        if (item !== 1 || event.kind !== 'send') return;
        for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
        isWritten = true;
      },
    }),
    (body) => {
      if (body.includes('"n":1')) sentBefore = !isWritten;
    },
  );
  expect([sent.length, sentBefore]).toEqual([5, false]);
});

test('an item that was put back, and is read again because its shard was claimed again, is sent once', async () => {
  let putBack = (): void => undefined;
  const isBack = new Promise<void>((resolve) => (putBack = resolve));
  let isThrottled = false;
  async function* readAgain(items: Items): Items {
    let third: Item | undefined;
    for await (const group of items) {
      const all = [...group];
      third ??= all.find((item): item is Item => item.kind === 'item' && item.number === 3);
      yield all;
    }
    await isBack;
    if (third !== undefined) yield [{ ...third }];
  }
  const { sent, end } = await runFive(
    (records) => ({
      // As a shared store does.
      record: async (item, event, data) => {
        const isPossible = nextState(records.states.stateOf(item), event) !== undefined;
        if (isPossible) await records.record(item, event, data);
        if (event.kind === 'withdraw') putBack();
      },
    }),
    (body) => {
      if (isThrottled || !body.includes('"n":3')) return;
      isThrottled = true;
      throw failureWith(EXIT.rateLimited, 5);
    },
    readAgain,
  );
  expect(sent.filter((body) => body.includes('"n":3'))).toHaveLength(1);
  expect([sent.length, end.counts.completed]).toEqual([5, 5]);
});

test('an intent of before its shard was claimed again is not withdrawn when the service asks to wait', async () => {
  const asked = new Set<number>();
  const withdrawn: number[] = [];
  const { end } = await runFive(
    (records) => ({
      // The shard of item 2 is claimed again when the intent is written.
      tenureOf: (item) => {
        if (item !== 2) return 1;
        const tenure = asked.has(item) ? 2 : 1;
        asked.add(item);
        return tenure;
      },
      record: (item, event, data) => {
        if (event.kind === 'withdraw') withdrawn.push(item);
        return records.record(item, event, data);
      },
    }),
    (body) => {
      if (withdrawn.length === 0 && body.includes('"n":1')) throw failureWith(EXIT.rateLimited, 5);
    },
    undefined,
    1,
  );
  expect([withdrawn[0], asked.has(2), withdrawn.includes(2)]).toEqual([1, true, false]);
  expect(end.counts).toMatchObject({ completed: 4, inFlight: 1 });
});
