import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createJournal, readJournal, reopenJournal } from '../../../../src/batch/store/journal.ts';
import { countsAddUp, type ItemEvent } from '../../../../src/batch/model/item-states.ts';
import { decodeRecord, encodeRecord, type JournalRecord } from '../../../../src/batch/store/record.ts';
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
  event(1, { kind: 'end', ending: 'failed' }, { resultBytes: 10 }),
  event(1, { kind: 'retry', job: 'job-ä1' }, { at: 7, id: '"ärger"' }),
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

test('a record of a send or an accept is the JSON of its list, whatever the job id and the date are', () => {
  const job = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\w-]{1,40}$/));
  const number = fc.integer({ min: 1, max: 1e9 });
  const dates = fc.oneof(fc.nat({ max: Number.MAX_SAFE_INTEGER }), fc.constant(0.5));
  fc.assert(
    fc.property(number, job, dates, fc.option(fc.json(), { nil: undefined }), (item, id, at, label) => {
      const accepted = event(item, { kind: 'accept', job: id }, { at });
      const sent = event(item, { kind: 'send' }, { id: label });
      expect(jsonOf(accepted)).toBe(JSON.stringify(['s', item, id, at]));
      expect(jsonOf(sent)).toBe(JSON.stringify(label === undefined ? ['i', item] : ['i', item, label]));
      for (const each of [accepted, sent])
        expect(decodeRecord(Buffer.from(encodeRecord(each)).subarray(0, -1))).toEqual(each);
    }),
  );
});

/** The JSON of a record: what follows the checksum and the length. */
const jsonOf = (of: JournalRecord): string => encodeRecord(of).split(' ').slice(2).join(' ').trimEnd();

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

  test('accounts for every item after any number of its records', async () => {
    for (const [at, end] of ENDS.entries()) {
      const past = await replayJournal(memoryFiles({ [PATH]: WHOLE.subarray(0, end) }), 'r.jsonl');
      const sum = past.states.counts();
      expect(countsAddUp(sum), `after ${String(at + 1)} records`).toBe(true);
      expect(past.jobs.length).toBe(past.states.count('submitted'));
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

  test('that cannot be synced fails every write of the group commit', async () => {
    const durable = memoryFiles();
    const journal = await createJournal(durable, PATH, HEADER);
    durable.syncs = () => 'EIO';
    const writes = RECORDS.slice(1, 4).map((record) => journal.write(record));
    for (const write of await Promise.allSettled(writes)) expect(write.status).toBe('rejected');
  });
});

test('a line with a right checksum that is no list is no record', () => {
  const json = '{"0":"i"}';
  const line = `${crc32(json).toString(16).padStart(8, '0')} ${String(json.length)} ${json}`;
  expect(decodeRecord(Buffer.from(line))).toBeUndefined();
});
