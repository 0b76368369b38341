import type { DurableFiles } from '../../core/context.ts';
import { type Failure, localFile } from '../../core/failure.ts';
import { linesOf } from '../bytes/split-lines.ts';
import { createGroupWriter, type GroupWriter, writeSyncedFile } from '../bytes/synced-files.ts';
import { endPath, newJournalPath, tornPath } from './file-names.ts';
import { openSyncedEnd, readSyncedEnd, refuseForeignEnd } from './journal-length.ts';
import {
  checksumOfRecord,
  decodeRecord,
  encodeRecord,
  isWholeRecord,
  type BatchHeader,
  type JournalRecord,
} from './record.ts';

/** Where the complete records of a journal end. */
export interface JournalEnd {
  /** Bytes of complete records. */
  readonly validBytes: number;
  /** Bytes of an incomplete record after them. */
  readonly tornBytes: number;
  /** The checksums of the header and of the last record; undefined where records are not chained. */
  readonly chain: Chain | undefined;
}

/** The checksum of each record begins with that of the one before. */
interface Chain {
  readonly header: number;
  readonly last: number;
}

/**
 * Creates a journal with its header; call it while holding the batch's lock. The file is written with a temporary name
 * and renamed after it is synced, so that a journal always has a complete header. Fails with local-file (14), also when
 * there is a journal already.
 */
export async function createJournal(durable: DurableFiles, path: string, header: BatchHeader): Promise<Journal> {
  if ((await durable.size(path)) !== undefined) throw localFile(`${path} exists already`, 'Name another --out.');
  await refuseForeignEnd(durable, path);
  const line = encodeRecord({ kind: 'header', header });
  const record = Buffer.from(line);
  const unfinished = newJournalPath(path);
  await writeSyncedFile(durable, unfinished, [record]);
  await durable.replace(unfinished, path);
  return reopenJournal(durable, path, {
    validBytes: record.byteLength,
    tornBytes: 0,
    chain: chainAfter(line, { kind: 'header', header }, undefined),
  });
}

/**
 * Opens a journal that was read to its end. An incomplete record at the end is copied to a file named after its offset
 * and then removed from the journal. Fails with local-file (14).
 */
export async function reopenJournal(durable: DurableFiles, path: string, end: JournalEnd): Promise<Journal> {
  const { validBytes, tornBytes, chain } = end;
  // A crash may have left an incomplete copy: it is always written again.
  if (tornBytes > 0) await writeSyncedFile(durable, tornPath(path, validBytes), durable.read(path, validBytes));
  const file = await durable.open(path);
  if (tornBytes > 0) await file.truncate(validBytes);
  if (chain === undefined) return journalOn(createGroupWriter(file), undefined);
  let bytes = validBytes;
  const syncedEnd = await openSyncedEnd(durable, path, { ...chain, bytes });
  const writer = createGroupWriter(file, async (lines) => {
    bytes += Buffer.byteLength(lines.join(''));
    await syncedEnd.write({ header: chain.header, bytes, last: checksumOfRecord(lines.at(-1) ?? '') });
  });
  return journalOn({ ...writer, close: () => Promise.all([writer.close(), syncedEnd.close()]).then() }, chain.last);
}

/** The chain after a record that was read or written; undefined where records are not chained. */
function chainAfter(line: string, record: JournalRecord, before: Chain | undefined): Chain | undefined {
  const last = checksumOfRecord(line);
  if (record.kind === 'header') return record.header.version === 2 ? { header: last, last } : undefined;
  return before === undefined ? undefined : { header: before.header, last };
}

function journalOn(writer: GroupWriter, seed: number | undefined) {
  let last = seed;
  return {
    /**
     * Resolves when the record is on disk. Fails with local-file (14). After one failure, every later write fails too.
     */
    write: (record: JournalRecord): Promise<void> => {
      const line = encodeRecord(record, last);
      if (last !== undefined) last = checksumOfRecord(line);
      return writer.append(line);
    },
    /** Resolves when no write is pending. */
    idle: (): Promise<void> => writer.idle(),
    /** Fails with local-file (14) when another process changed the file. Call it only when the journal is idle. */
    check: (): Promise<void> => writer.check(),
    close: async (): Promise<void> => {
      await writer.idle();
      await writer.close();
    },
  };
}

export type Journal = ReturnType<typeof journalOn>;

/**
 * Reads a journal and calls `onRecord` with each record and its offset, the header first. An incomplete record at the
 * end is ignored. Fails with local-file (14) when a broken record is followed by a complete one, because records are
 * missing in that case, when the file beside it shows that records at its end are missing, and when it is not a journal or has
 * another version.
 */
export async function readJournal(
  durable: DurableFiles,
  path: string,
  onRecord: (record: JournalRecord, offset: number) => void,
): Promise<JournalEnd> {
  // Read first: the journal of a batch that runs grows meanwhile.
  const synced = await readSyncedEnd(durable, path);
  let validBytes = 0;
  let size = 0;
  let brokenAt: number | undefined;
  let chain: Chain | undefined;
  let reachedSynced = false;
  for await (const line of linesOf(durable.read(path, 0), Number.MAX_SAFE_INTEGER)) {
    size = line.end;
    const record = line.complete ? decodeRecord(line.bytes, chain?.last) : undefined;
    if (record === undefined) {
      if (chain !== undefined && line.complete && isWholeRecord(line.bytes))
        throw brokenJournal(path, line.start, 'records before it are missing, or were changed');
      if (brokenAt !== undefined || containsRecord(line.bytes)) throw brokenBefore(path, brokenAt ?? line.start);
      brokenAt = line.start;
      continue;
    }
    if (brokenAt !== undefined) throw brokenBefore(path, brokenAt);
    if ((line.start === 0) !== (record.kind === 'header' || record.kind === 'other-version'))
      throw brokenJournal(path, line.start, 'a record is in the wrong place');
    if (record.kind === 'other-version') throw otherVersion(path, record.version);
    chain = chainAfter(Buffer.from(line.bytes.subarray(0, 8)).toString(), record, chain);
    onRecord(record, line.start);
    validBytes = line.end;
    reachedSynced ||= validBytes === synced?.bytes && chain?.last === synced.last;
  }
  if (validBytes === 0) throw noJournal(path);
  // A file with another header was left by an earlier batch at this place.
  if (synced !== undefined && synced.header === chain?.header && !reachedSynced)
    throw brokenJournal(
      path,
      Math.min(validBytes, synced.bytes),
      `records at its end are missing, or were changed: it had ${String(synced.bytes)} bytes, and has ${String(validBytes)}`,
      `Nothing was changed. Restore the complete journal. Or remove ${endPath(path)} to go on with what is there: items whose records are missing are sent again then.`,
    );
  return { validBytes, tornBytes: size - validBytes, chain };
}

/** The longest header, in bytes: it names the files of the input. */
const MAX_HEADER_BYTES = 64 * 1024 * 1024;

/**
 * Reads the header of a journal, and nothing after it: any file may have such a name, of any length and without a line
 * feed. Fails with local-file (14) for a file that does not begin with the header of a journal.
 */
export async function readHeader(durable: DurableFiles, path: string): Promise<BatchHeader> {
  for await (const line of linesOf(beginningOf(durable.read(path, 0)), MAX_HEADER_BYTES)) {
    const record = line.complete ? decodeRecord(line.bytes) : undefined;
    if (record?.kind === 'other-version') throw otherVersion(path, record.version);
    if (record?.kind !== 'header') break;
    return record.header;
  }
  throw noJournal(path);
}

/** The chunks of a file up to the length of the longest header; the first one alone where no header begins. */
async function* beginningOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    const isJournal = bytes > 0 || /^[0-9a-f]{8} \d{1,9} /.test(Buffer.from(chunk.subarray(0, 20)).toString('latin1'));
    bytes += chunk.byteLength;
    yield chunk;
    if (!isJournal || bytes > MAX_HEADER_BYTES) return;
  }
}

/** Returns whether a broken line contains a complete record: the line feed before that record was damaged. */
function containsRecord(line: Uint8Array): boolean {
  const text = Buffer.from(line).toString('latin1');
  const starts = [...text.matchAll(/[0-9a-f]{8} \d{1,9} /g)].map(({ index }) => index);
  return starts.some((start) => start > 0 && isWholeRecord(line.subarray(start)));
}

const noJournal = (path: string): Failure =>
  localFile(`${path} is not the journal of a batch`, 'Name the results file of a batch.');

const brokenBefore = (path: string, offset: number): Failure =>
  brokenJournal(path, offset, 'a broken record is followed by others');

/** The journal cannot be used from an offset on: exit 14. The file is not changed. */
export const brokenJournal = (path: string, offset: number, why: string, hint = RESTORE): Failure =>
  localFile(`the journal ${path} is broken at byte ${String(offset)}: ${why}`, hint);

const RESTORE =
  'Nothing was changed. Restore a copy of it, or begin a new batch with another --out; what was fetched is in the results file.';

const otherVersion = (path: string, version: number): Failure =>
  localFile(
    `the journal ${path} was written by another version of berth (form ${String(version)})`,
    'Go on with that version.',
  );
