import { expect, test } from 'vitest';
import { readItems } from '../../../../src/batch/input/read-items.ts';
import { createQueueClient } from '../../../../src/batch/run/queue-client.ts';
import { runItems } from '../../../../src/batch/run/runner.ts';
import type { Books } from '../../../../src/batch/store/books.ts';
import { fileBooks } from '../../../../src/batch/store/file-books.ts';
import { asId } from '../../../../src/core/ids.ts';
import { batchApiOf } from '../../../support/batch/batch-api.ts';
import { answerNormally, createScriptedService } from '../../../support/batch/scripted-service.ts';

/** Runs a batch of five items with books that differ from those of a file. Returns the bodies that were sent, and the end. */
async function runFive(differing: (books: Books) => Partial<Books>, onSent: (body: string) => void = () => undefined) {
  const { batch, clock, files } = await createScriptedService(5, answerNormally);
  const books = fileBooks(batch, () => clock.now());
  const sent: string[] = [];
  const end = await runItems({
    books: { ...books, ...differing(books) },
    options: { concurrency: 8, rate: 99, inFlight: 100, maxFailures: 99, timeoutMs: 60_000, retryFailed: 0 },
    items: readItems(files.read('items.jsonl'), { path: 'items.jsonl', format: 'jsonl', extras: '' }),
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
    (books) => ({
      // The record of item 1 is written after those of the others.
      record: async (item, event, data) => {
        await books.record(item, event, data);
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
