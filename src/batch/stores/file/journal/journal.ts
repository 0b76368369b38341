import type { DurableFiles } from '../../../../core/context.ts';
import { localFile } from '../../../../core/failure.ts';
import { linesOf } from '../../../bytes/split-lines.ts';
import { createGroupWriter, type GroupWriter, writeSyncedFile } from '../../../bytes/synced-files.ts';
import { newJournalPath, tornPath } from '../file-names.ts';
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
  /** The checksum of the last record, with which that of the next one begins; undefined where records are not chained. */
  readonly seed: number | undefined;
}

/**
 * Creates a journal with its header; call it while holding the batch's lock. The file is written with a temporary name
 * and renamed after it is synced, so that a journal always has a complete header. Fails with local-file (14), also when
 * there is a journal already.
 */
export async function createJournal(durable: DurableFiles, path: string, header: BatchHeader): Promise<Journal> {
  if ((await durable.size(path)) !== undefined) throw localFile(`${path} exists already`, 'Name another --out.');
  const line = encodeRecord({ kind: 'header', header });
  const record = Buffer.from(line);
  const unfinished = newJournalPath(path);
  await writeSyncedFile(durable, unfinished, [record]);
  await durable.replace(unfinished, path);
  return reopenJournal(durable, path, {
    validBytes: record.byteLength,
    tornBytes: 0,
    seed: isChained(header) ? checksumOfRecord(line) : undefined,
  });
}

/**
 * Opens a journal that was read to its end. An incomplete record at the end is copied to a file named after its offset
 * and then removed from the journal. Fails with local-file (14).
 */
export async function reopenJournal(durable: DurableFiles, path: string, end: JournalEnd): Promise<Journal> {
  const { validBytes, tornBytes, seed } = end;
  // A crash may have left an incomplete copy: it is always written again.
  if (tornBytes > 0) await writeSyncedFile(durable, tornPath(path, validBytes), durable.read(path, validBytes));
  const file = await durable.open(path);
  if (tornBytes > 0) await file.truncate(validBytes);
  return journalOn(createGroupWriter(file), seed);
}

const isChained = ({ version }: BatchHeader): boolean => version === 2;

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
 * missing in that case, and when the file is not a journal or has another version.
 */
export async function readJournal(
  durable: DurableFiles,
  path: string,
  onRecord: (record: JournalRecord, offset: number) => void,
): Promise<JournalEnd> {
  let validBytes = 0;
  let size = 0;
  let brokenAt: number | undefined;
  let seed: number | undefined;
  for await (const line of linesOf(durable.read(path, 0), Number.MAX_SAFE_INTEGER)) {
    size = line.end;
    const record = line.complete ? decodeRecord(line.bytes, seed) : undefined;
    if (record === undefined) {
      if (seed !== undefined && line.complete && isWholeRecord(line.bytes))
        throw brokenJournal(path, line.start, 'records before it are missing, or were changed');
      if (brokenAt !== undefined || containsRecord(line.bytes)) throw brokenBefore(path, brokenAt ?? line.start);
      brokenAt = line.start;
      continue;
    }
    if (brokenAt !== undefined) throw brokenBefore(path, brokenAt);
    if ((line.start === 0) !== (record.kind === 'header'))
      throw brokenJournal(path, line.start, 'a record is in the wrong place');
    if (record.kind === 'header') checkVersion(path, record.header);
    const stillRunning = record.kind === 'header' ? isChained(record.header) : seed !== undefined;
    seed = stillRunning ? checksumOfRecord(Buffer.from(line.bytes.subarray(0, 8)).toString()) : undefined;
    onRecord(record, line.start);
    validBytes = line.end;
  }
  if (validBytes === 0) throw noJournal(path);
  return { validBytes, tornBytes: size - validBytes, seed };
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
    if (record?.kind !== 'header') break;
    checkVersion(path, record.header);
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

const noJournal = (path: string): Error =>
  localFile(`${path} is not the journal of a batch`, 'Name the results file of a batch.');

const brokenBefore = (path: string, offset: number): Error =>
  brokenJournal(path, offset, 'a broken record is followed by others');

/** The journal cannot be used from an offset on: exit 14. The file is not changed. */
export const brokenJournal = (path: string, offset: number, why: string): Error =>
  localFile(
    `the journal ${path} is broken at byte ${String(offset)}: ${why}`,
    'Nothing was changed. Restore a copy of it, or begin a new batch with another --out; what was fetched is in the results file.',
  );

function checkVersion(path: string, header: BatchHeader): void {
  const version: number = header.version;
  if (version !== 1 && version !== 2)
    throw localFile(
      `the journal ${path} was written by another version of berth (form ${String(version)})`,
      'Go on with that version.',
    );
}
