import { firstBytes, linesOf } from '../bytes/split-lines.ts';
import { createGroupWriter, writeSyncedFile } from '../bytes/synced-files.ts';
import { endPath, newJournalPath, tornPath } from './paths.ts';
import {
  type BatchHeader,
  checksum,
  checksumOfRecord,
  decodeRecord,
  encodeRecord,
  hex,
  type JournalRecord,
} from './record.ts';
import type { DurableFiles } from '../../core/context.ts';
import { type Failure, localFile } from '../../core/failure.ts';
import { collectBytes } from '../../core/files.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** In a file beside the journal, which cannot show that records at its end are missing. */
interface SyncedEnd extends Chain {
  readonly bytes: Bytes;
}

/** Checksums of the header and of the last record: that of each record begins with that of the one before. */
interface Chain {
  readonly header: number;
  readonly last: number;
}

/** Always the same number of bytes, so that a write never changes its length. */
function encodeEnd({ header, bytes, last }: SyncedEnd): Buffer {
  const text = `${hex(header)} ${String(bytes).padStart(16, '0')} ${hex(last)}`;
  return Buffer.from(`${checksum(text, 0)} ${text}\n`);
}

const END_BYTES: Bytes = encodeEnd({ header: 0, bytes: 0, last: 0 }).byteLength;

/** Undefined when the file is missing or is none. Fails with local-file (14). */
async function readSyncedEnd(durable: DurableFiles, path: string): Promise<SyncedEnd | undefined> {
  if ((await durable.size(endPath(path))) !== END_BYTES) return undefined;
  const content = await collectBytes(durable.read(endPath(path), 0), END_BYTES);
  const [, sum, text = '', header = '', bytes, last = ''] =
    /^([0-9a-f]{8}) (([0-9a-f]{8}) (\d{16}) ([0-9a-f]{8}))\n$/.exec(content?.toString('latin1') ?? '') ?? [];
  if (sum === undefined || checksum(text, 0) !== sum) return undefined;
  return { header: Number.parseInt(header, 16), bytes: Number(bytes), last: Number.parseInt(last, 16) };
}

export interface JournalEnd {
  readonly validBytes: number;
  /** Bytes of an incomplete record after them. */
  readonly tornBytes: number;
  readonly chain: Chain;
}

/** Hold the lock. Renamed after the sync: the header is always complete. Fails with local-file (14). */
export async function createJournal(durable: DurableFiles, path: string, header: BatchHeader): Promise<Journal> {
  await refuseForeignEnd(durable, path);
  const { line, sum: last } = encodeRecord({ kind: 'header', header });
  const record = Buffer.from(line);
  await writeSyncedFile(durable, newJournalPath(path), [record]);
  await durable.replace(newJournalPath(path), path);
  return reopenJournal(durable, path, { validBytes: record.byteLength, tornBytes: 0, chain: { header: last, last } });
}

/** Fails with local-file (14) when a file is there that no batch wrote. */
async function refuseForeignEnd(durable: DurableFiles, path: string): Promise<void> {
  const size = (await durable.size(endPath(path))) ?? 0;
  if (size > 0 && (await readSyncedEnd(durable, path)) === undefined)
    throw localFile(`${endPath(path)} exists already, and this batch would write it`, 'Move it away.');
}

/** Moves an incomplete last record to a file named after its offset. Fails with local-file (14). */
export async function reopenJournal(durable: DurableFiles, path: string, end: JournalEnd) {
  const { validBytes, tornBytes, chain } = end;
  await refuseForeignEnd(durable, path);
  // A crash may have left an incomplete copy: it is always written again.
  if (tornBytes > 0) await writeSyncedFile(durable, tornPath(path, validBytes), durable.read(path, validBytes));
  const file = await durable.open(path);
  if (tornBytes > 0) await file.truncate(validBytes);
  let [bytes, { last }] = [validBytes, chain];
  // Written only after a sync of the journal, and not synced: an earlier end is right too.
  const synced = await durable.openRanges(endPath(path), 0o600);
  synced.write(encodeEnd({ ...chain, bytes }), 0);
  await synced.sync();
  const writer = createGroupWriter(file, async (added, line) => {
    bytes += added;
    synced.write(encodeEnd({ header: chain.header, bytes, last: checksumOfRecord(line) }), 0);
  });
  return {
    /** On disk when it resolves. Fails with local-file (14), and then every later write fails too. */
    write: (record: JournalRecord): Promise<void> => {
      const { line, sum } = encodeRecord(record, last);
      last = sum;
      return writer.append(line);
    },
    idle: (): Promise<void> => writer.idle(),
    /** Fails with local-file (14) when another process changed the file. Call it only when the journal is idle. */
    check: (): Promise<void> => writer.check(),
    close: async (): Promise<void> => {
      await writer.idle();
      await Promise.all([writer.close(), synced.close()]);
    },
  };
}

export type Journal = Awaited<ReturnType<typeof reopenJournal>>;

/** Ignores an incomplete last record. Fails with local-file (14) when records are missing or corrupt. */
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
      // A crash leaves an incomplete line at the end, or any bytes behind what was synced.
      const isSynced = synced?.header !== chain?.header || line.start < (synced?.bytes ?? 0);
      if (chain !== undefined && line.complete && isSynced)
        throw brokenJournal(path, line.start, 'this record was changed, or records before it are missing');
      brokenAt ??= line.start;
      continue;
    }
    if (brokenAt !== undefined) throw brokenJournal(path, brokenAt, 'a broken record is followed by others');
    if ((line.start === 0) !== (record.kind === 'header'))
      throw brokenJournal(path, line.start, 'a record is in the wrong place');
    const last = checksumOfRecord(Buffer.from(line.bytes.subarray(0, 8)).toString());
    chain = { header: chain?.header ?? last, last };
    onRecord(record, line.start);
    validBytes = line.end;
    reachedSynced ||= validBytes === synced?.bytes && last === synced.last;
  }
  if (chain === undefined) throw noJournal(path);
  // A file with another header was left by an earlier batch at this place.
  if (synced?.header === chain.header && !reachedSynced)
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

/** Reads only the header: any file may have this name. Fails with local-file (14) for another file. */
export async function readHeader(durable: DurableFiles, path: string): Promise<BatchHeader> {
  const beginning = firstBytes(durable.read(path, 0), MAX_HEADER_BYTES);
  for await (const line of linesOf(beginning, MAX_HEADER_BYTES)) {
    const record = line.complete ? decodeRecord(line.bytes) : undefined;
    if (record?.kind === 'header') return record.header;
    break;
  }
  throw noJournal(path);
}

const noJournal = (path: string): Failure =>
  localFile(`${path} is not the journal of a batch of this version of berth`, 'Name the results file of a batch.');

/** Exit 14. The file is not changed. */
export const brokenJournal = (path: string, offset: number, why: string, hint = RESTORE): Failure =>
  localFile(`the journal ${path} is broken at byte ${String(offset)}: ${why}`, hint);

const RESTORE =
  'Nothing was changed. Restore a copy of it, or begin a new batch with another --out; what was fetched is in the results file.';
