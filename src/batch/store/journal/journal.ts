import type { DurableFiles } from '../../../core/context.ts';
import { localFile } from '../../../core/failure.ts';
import { createAppender } from '../group-writer.ts';
import { linesOf } from '../../lines.ts';
import { decodeRecord, encodeRecord, type BatchHeader, type JournalRecord } from './record.ts';
import { writeWhole } from '../write-file.ts';

/** A journal that is written. */
export interface Journal {
  /** Resolves when the record is on the disk. Fails with local-file (14), and from then on always. */
  write(record: JournalRecord): Promise<void>;
  idle(): Promise<void>;
  /** Fails with local-file (14) where somebody else wrote, cut, removed or replaced it. Call it when it is idle. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Where a journal ends well, and what lies behind that. */
export interface JournalEnd {
  /** Bytes of whole records. */
  readonly good: number;
  /** Bytes of a record that was never finished. */
  readonly torn: number;
}

/** The files of a batch, by the name of its results file. */
export const journalPath = (results: string): string => `${results}.journal`;
export const lockPath = (results: string): string => `${results}.journal.lock`;

/**
 * Begins a journal, to be called under the batch's lock. It comes into being with its header on the disk, under another
 * name first: half a journal never exists, and where there is none nothing was sent. Fails with local-file (14), also
 * where there is one already.
 */
export async function createJournal(durable: DurableFiles, path: string, header: BatchHeader): Promise<Journal> {
  if ((await durable.size(path)) !== undefined) throw localFile(`${path} exists already`, 'Name another --out.');
  const record = Buffer.from(encodeRecord({ kind: 'header', header }));
  await writeWhole(durable, `${path}.new`, [record]);
  await durable.replace(`${path}.new`, path);
  return reopenJournal(durable, path, { good: record.byteLength, torn: 0 });
}

/**
 * Goes on with a journal that was read to its end: a torn tail is kept aside, in a file that is named after the place it
 * was torn at, and cut off. Fails with local-file (14).
 */
export async function reopenJournal(durable: DurableFiles, path: string, end: JournalEnd): Promise<Journal> {
  // A copy that was cut short by another crash is made again.
  if (end.torn > 0) await writeWhole(durable, `${path}.torn-${String(end.good)}`, durable.read(path, end.good));
  const file = await durable.open(path);
  if (end.torn > 0) await file.truncate(end.good);
  return writing(createAppender(file));
}

function writing(appender: ReturnType<typeof createAppender>): Journal {
  return {
    write: (record) => appender.put(encodeRecord(record)),
    idle: () => appender.idle(),
    check: () => appender.check(),
    close: async () => {
      await appender.idle();
      await appender.close();
    },
  };
}

/**
 * Reads a journal from its beginning and hands on each record with the offset it begins at, header first. What was torn
 * off at its end is told and nothing more. Fails with local-file (14) where a broken record is followed by a whole one:
 * then nobody knows what is missing; and where it is no journal, or one of another version.
 */
export async function readJournal(
  durable: DurableFiles,
  path: string,
  onRecord: (record: JournalRecord, offset: number) => void,
): Promise<JournalEnd> {
  let good = 0;
  let size = 0;
  let brokenAt: number | undefined;
  for await (const line of linesOf(durable.read(path), Number.MAX_SAFE_INTEGER)) {
    size = line.end;
    const record = line.whole ? decodeRecord(line.bytes) : undefined;
    if (record === undefined) {
      if (brokenAt !== undefined || holdsRecord(line.bytes)) throw brokenBefore(path, brokenAt ?? line.start);
      brokenAt = line.start;
      continue;
    }
    if (brokenAt !== undefined) throw brokenBefore(path, brokenAt);
    if ((line.start === 0) !== (record.kind === 'header')) throw broken(path, line.start, 'a record out of its place');
    if (record.kind === 'header') checkVersion(path, record.header);
    onRecord(record, line.start);
    good = line.end;
  }
  if (good === 0) throw localFile(`${path} is not the journal of a batch`, 'Name the results file of a batch.');
  return { good, torn: size - good };
}

/** True where a whole record lies behind what is broken on the same line: the line feed between them was damaged. */
function holdsRecord(line: Uint8Array): boolean {
  const text = Buffer.from(line).toString('latin1');
  const starts = [...text.matchAll(/[0-9a-f]{8} \d{1,9} /g)].map(({ index }) => index);
  return starts.some((start) => start > 0 && decodeRecord(line.subarray(start)) !== undefined);
}

const brokenBefore = (path: string, offset: number): Error =>
  broken(path, offset, 'a broken record lies before others');

/** A journal that cannot be trusted from an offset on: exit 14, and it is left as it is. */
export const broken = (path: string, offset: number, why: string): Error =>
  localFile(
    `the journal ${path} is broken at byte ${String(offset)}: ${why}`,
    'Nothing was changed. Bring back a copy of it, or begin anew with another --out; what was fetched is in the results file.',
  );

function checkVersion(path: string, header: BatchHeader): void {
  const version: number = header.version;
  if (version !== 1)
    throw localFile(
      `the journal ${path} was written by another version of berth (form ${String(version)})`,
      'Go on with that version.',
    );
}
