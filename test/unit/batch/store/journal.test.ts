import { describe, expect, test } from 'vitest';
import { createJournal, readJournal, reopenJournal } from '../../../../src/batch/store/journal.ts';
import { type ItemEvent } from '../../../../src/batch/model/item-states.ts';
import { type JournalRecord } from '../../../../src/batch/store/record.ts';
import { replayJournal } from '../../../../src/batch/store/replay.ts';
import { headerOf, journalOf } from '../../../support/batch/begin-batch.ts';
import { memoryFiles } from '../../../support/batch/memory-files.ts';

const HEADER = headerOf(6);

const event = (item: number, happened: ItemEvent, data: object = {}): JournalRecord => ({
  kind: 'event',
  item,
  event: happened,
  data,
});

/** A history with everything in it: names of many bytes, a retry, an unknown one, one sent again. */
const RECORDS: readonly JournalRecord[] = [
  { kind: 'header', header: HEADER },
  event(1, { kind: 'send' }, { id: '"ärger"' }),
  event(2, { kind: 'send' }, { id: undefined }),
  event(1, { kind: 'accept', job: 'job-ä1' }, { at: 5 }),
  event(3, { kind: 'send' }, { id: undefined }),
  event(2, { kind: 'withdraw' }),
  event(3, { kind: 'lose' }),
  event(2, { kind: 'send' }, { id: undefined }),
  event(2, { kind: 'accept', job: 'job-2' }, { at: 6 }),
  event(1, { kind: 'retry', job: 'job-ä1' }, { at: 7 }),
  event(3, { kind: 'resubmit' }),
  event(4, { kind: 'send' }, { id: undefined }),
  event(4, { kind: 'refuse' }, { resultBytes: 20 }),
  event(2, { kind: 'end', ending: 'completed' }, { resultBytes: 30 }),
];

const record = (at: number): JournalRecord => RECORDS[at] ?? { kind: 'ordered', bytes: 0, checksum: 0 };

const WHOLE = Buffer.from(journalOf(RECORDS));
/** Where each record ends. */
const ENDS = RECORDS.map((_, at) => Buffer.byteLength(journalOf(RECORDS.slice(0, at + 1))));
const PATH = 'r.jsonl.journal';

/** How many records lie whole before a byte. */
const wholeBefore = (bytes: number): number => ENDS.filter((end) => end <= bytes).length;

async function read(bytes: Uint8Array) {
  const durable = memoryFiles({ [PATH]: bytes });
  const records: JournalRecord[] = [];
  const end = await readJournal(durable, PATH, (record) => records.push(record));
  return { durable, records, end };
}

describe('a journal', () => {
  test('reads back what was written', async () => {
    const durable = memoryFiles();
    const journal = await createJournal(durable, PATH, HEADER);
    await Promise.all(RECORDS.slice(1).map((record) => journal.write(record)));
    await journal.close();
    expect(durable.text(PATH)).toBe(WHOLE.toString());
    expect((await read(WHOLE)).records).toEqual(RECORDS);
  });

  test('cut at any byte: keeps every record before it, moves the tail to another file and accepts new records', async () => {
    for (let cut = ENDS[0] ?? 0; cut <= WHOLE.byteLength; cut++) {
      const { durable, records, end } = await read(WHOLE.subarray(0, cut));
      const whole = wholeBefore(cut);
      expect(records, `cut at ${String(cut)}`).toEqual(RECORDS.slice(0, whole));
      expect(end.validBytes + end.tornBytes).toBe(cut);
      const journal = await reopenJournal(durable, PATH, end);
      const more = event(6, { kind: 'send' }, { id: undefined });
      await journal.write(more);
      await journal.close();
      const again = await read(durable.files.get(PATH) ?? Buffer.alloc(0));
      expect(again.records).toEqual([...RECORDS.slice(0, whole), more]);
      expect(durable.text(`${PATH}.torn-${String(end.validBytes)}`)).toBe(
        WHOLE.subarray(0, cut).subarray(end.validBytes).toString(),
      );
    }
  });

  test('keeps the job of an item that runs again, with its own id', async () => {
    const past = await replayJournal(memoryFiles({ [PATH]: WHOLE }), 'r.jsonl');
    expect([...past.jobs.values()]).toEqual([{ item: 1, job: 'job-ä1', id: '"ärger"', submittedAt: 7, retries: 1 }]);
    expect(past.resultBytes).toBe(30);
    expect(past.states.counts()).toMatchObject({ completed: 1, failed: 1, inFlight: 1, waiting: 3 });
  });

  test('with any byte changed in the middle: is refused with the offset and not modified', async () => {
    const starts = [0, ...ENDS.slice(0, -1)];
    const last = starts.at(-1) ?? 0;
    for (let at = starts[1] ?? 0; at < last; at += 3) {
      const damaged = Buffer.from(WHOLE);
      damaged[at] = (damaged[at] ?? 0) ^ 0x15;
      const durable = memoryFiles({ [PATH]: damaged });
      const start = starts.filter((each) => each <= at).at(-1) ?? 0;
      const trouble = readJournal(durable, PATH, () => undefined);
      await expect(trouble, `byte ${String(at)}`).rejects.toMatchObject({
        exit: 14,
        message: expect.stringContaining(`at byte ${String(start)}`) as string,
      });
      expect(durable.files.size).toBe(1);
      expect(durable.files.get(PATH)).toEqual(damaged);
    }
  });

  test.each([
    ['zeros, as after a power cut', Buffer.concat([WHOLE, Buffer.alloc(100)])],
    ['half a line', Buffer.concat([WHOLE, Buffer.from('deadbeef 7 ["i')])],
  ])('whose tail is %s goes on without it', async (_, bytes) => {
    const { records, end } = await read(bytes);
    expect(records).toEqual(RECORDS);
    expect(end).toMatchObject({ validBytes: WHOLE.byteLength, tornBytes: bytes.byteLength - WHOLE.byteLength });
  });

  test('with an impossible sequence of records is refused', async () => {
    const impossible = event(5, { kind: 'accept', job: 'j' }, { at: 1 });
    const durable = memoryFiles({ [PATH]: journalOf([...RECORDS, impossible]) });
    await expect(replayJournal(durable, 'r.jsonl')).rejects.toMatchObject({
      exit: 14,
      message: expect.stringContaining(`at byte ${String(WHOLE.byteLength)}`) as string,
    });
  });

  test.each([
    ['empty', Buffer.alloc(0)],
    ['something else', Buffer.from('{"a":1}\n')],
  ])('that is %s is refused', async (_, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ exit: 14 });
  });

  test('on a full disk accepts nothing more, and its earlier records stay valid', async () => {
    const durable = memoryFiles();
    const journal = await createJournal(durable, PATH, HEADER);
    await journal.write(record(1));
    durable.disk = (_path, bytes) => ({ takes: Math.floor(bytes / 2), error: 'ENOSPC' });
    await expect(journal.write(record(2))).rejects.toMatchObject({ exit: 14 });
    durable.disk = undefined;
    // Behind a torn record nothing could be found again.
    await expect(journal.write(record(3))).rejects.toMatchObject({ exit: 14 });
    const { records } = await read(durable.files.get(PATH) ?? Buffer.alloc(0));
    expect(records).toEqual(RECORDS.slice(0, 2));
  });
});
