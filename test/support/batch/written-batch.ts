import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Ending } from '../../../src/batch/model/item-states.ts';
import type { JournalRecord } from '../../../src/batch/store/record.ts';
import { headerOf, journalOf } from './begin-batch.ts';
import { OUT } from './command-fixture.ts';

/** How an item of a written batch ended; `undefined` when it waits. */
export interface WrittenItem {
  readonly ending: Ending;
  readonly error?: string;
  readonly output?: unknown;
  readonly delayTime?: number;
  readonly executionTime?: number;
}

const STATUS = {
  completed: 'COMPLETED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
  timedOut: 'TIMED_OUT',
  expired: 'EXPIRED',
} as const;

export const BEGUN_AT = Date.UTC(2026, 0, 1);

/**
 * Writes the files of a batch as a run of it would leave them: an input of `{"n":1}` lines, a journal with a price, and
 * the results, one each 100 ms; with `reversed`, they are in the reverse order of the input.
 */
export function writeBatch(
  directory: string,
  items: readonly (WrittenItem | undefined)[],
  { reversed = false }: { readonly reversed?: boolean } = {},
): void {
  const input = items.map((_, at) => `{"n":${String(at + 1)}}\n`).join('');
  let results = '';
  let extent = { resultBytes: 0, checksum: 0 };
  const records: JournalRecord[] = [
    {
      kind: 'header',
      header: headerOf(items.length, {
        ...{ endpoint: 'demo', endpointId: 'demo', service: 'http://127.0.0.1:1', createdAt: BEGUN_AT },
        input: {
          inputs: [
            {
              ...{ path: 'in.jsonl', bytes: Buffer.byteLength(input), format: 'jsonl' },
              ...{ firstItem: 1, items: items.length, digest: createHash('sha256').update(input).digest('hex') },
            },
          ],
        },
      }),
    },
    { kind: 'price', perHour: { low: 3.6, high: 3.6 } },
  ];
  const inOrder = [...items.entries()];
  for (const [at, written] of reversed ? inOrder.reverse() : inOrder) {
    if (written === undefined) continue;
    const [item, job] = [at + 1, `job-${String(at + 1)}`];
    const { ending, ...members } = written;
    const event = (each: (JournalRecord & { kind: 'event' })['event'], data = {}): void => {
      records.push({ kind: 'event', item, event: each, data });
    };
    event({ kind: 'send' });
    event({ kind: 'accept', job }, { at: BEGUN_AT + at });
    const line = `${JSON.stringify({ item, job, status: STATUS[ending], ...members })}\n`;
    results += line;
    extent = { resultBytes: extent.resultBytes + Buffer.byteLength(line), checksum: crc32(line, extent.checksum) };
    event({ kind: 'end', ending }, { ...extent, at: BEGUN_AT + item * 100 });
  }
  writeFileSync(join(directory, 'in.jsonl'), input);
  writeFileSync(join(directory, OUT), results);
  writeFileSync(join(directory, `${OUT}.journal`), journalOf(records));
}

/** A batch with items of every end, whose times and errors follow from their numbers. */
export const mixedItems = (count: number): readonly (WrittenItem | undefined)[] =>
  Array.from({ length: count }, (_, at) => {
    const times = { delayTime: 20 + (at % 50) * 10, executionTime: 100 + ((at * 37) % 1000) };
    switch (at % 20) {
      case 3:
        return { ending: 'failed', error: `CUDA out of memory: tried ${String(at)}.5 GiB`, ...times };
      case 7:
        return { ending: 'failed', error: `no such file: /data/in/${String(at)}.png`, ...times };
      case 11:
        return { ending: 'timedOut', error: 'the job ran too long', delayTime: 5, executionTime: 60_000 };
      case 13:
        return { ending: 'expired', error: 'the service no longer has this job' };
      case 17:
        return { ending: 'failed', error: `<script>alert(${String(at)})</script>\u202e & "quoted"`, ...times };
      case 19:
        return undefined;
      default:
        return { ending: 'completed', output: { n: at + 1, text: `=1+${String(at)}` }, ...times };
    }
  });
