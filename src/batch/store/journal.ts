import { dirname } from 'node:path';
import { linesOf } from '../bytes/split-lines.ts';
import { createGroupWriter, type GroupWriter, writeSyncedFile } from '../bytes/synced-files.ts';
import { resumeLine } from '../model/command-lines.ts';
import {
  endPath,
  inputCopyPath,
  journalPath,
  newJournalPath,
  orderedPath,
  OWN_ENDS,
  tornEnd,
  tornPath,
} from './file-names.ts';
import {
  type BatchHeader,
  checksum,
  checksumOfRecord,
  decodeRecord,
  encodeRecord,
  isWholeRecord,
  type JournalRecord,
} from './record.ts';
import type { DurableFiles } from '../../core/context.ts';
import { type Failure, localFile, usage } from '../../core/failure.ts';
import { collectBytes } from '../../core/files.ts';
import { sentence } from '../../core/message.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** In a file beside the journal, which cannot show that records at its end are missing. */
interface SyncedEnd {
  /** A checksum: the file may have been left by another batch at this place. */
  readonly header: number;
  readonly bytes: Bytes;
  /** A checksum too. */
  readonly last: number;
}

/** Always the same number of bytes, so that a write never changes its length. */
function encodeEnd({ header, bytes, last }: SyncedEnd): Buffer {
  const text = `${hex(header)} ${String(bytes).padStart(16, '0')} ${hex(last)}`;
  return Buffer.from(`${checksum(text, 0)} ${text}\n`);
}

const hex = (sum: number): string => sum.toString(16).padStart(8, '0');

const LENGTH: Bytes = encodeEnd({ header: 0, bytes: 0, last: 0 }).byteLength;

function decodeEnd(content: Buffer): SyncedEnd | undefined {
  const [, sum, text = '', header = '', bytes, last = ''] =
    /^([0-9a-f]{8}) (([0-9a-f]{8}) (\d{16}) ([0-9a-f]{8}))\n$/.exec(content.toString('latin1')) ?? [];
  if (sum === undefined || checksum(text, 0) !== sum) return undefined;
  return { header: Number.parseInt(header, 16), bytes: Number(bytes), last: Number.parseInt(last, 16) };
}

/** Undefined when the file is missing or truncated. Fails with local-file (14). */
async function readSyncedEnd(durable: DurableFiles, path: string): Promise<SyncedEnd | undefined> {
  if ((await durable.size(endPath(path))) !== LENGTH) return undefined;
  const content = await collectBytes(durable.read(endPath(path), 0), LENGTH);
  return content === undefined ? undefined : decodeEnd(content);
}

/** Write only after a journal sync; not synced: an earlier end is right too. Fails with local-file (14). */
async function openSyncedEnd(durable: DurableFiles, path: string, first: SyncedEnd) {
  await refuseForeignEnd(durable, path);
  const file = await durable.openRanges(endPath(path), 0o600);
  const write = (end: SyncedEnd): Promise<void> => file.write(encodeEnd(end), 0);
  await write(first);
  await file.sync();
  return { write, close: (): Promise<void> => file.close() };
}

/** Fails with local-file (14) when a file is there that no batch wrote. */
async function refuseForeignEnd(durable: DurableFiles, path: string): Promise<void> {
  const size = (await durable.size(endPath(path))) ?? 0;
  if (size > 0 && (await readSyncedEnd(durable, path)) === undefined)
    throw localFile(`${endPath(path)} exists already, and this batch would write it`, 'Move it away.');
}

export interface JournalEnd {
  readonly validBytes: number;
  /** Bytes of an incomplete record after them. */
  readonly tornBytes: number;
  readonly chain: Chain;
}

/** Checksums of the header and of the last record: that of each record begins with that of the one before. */
interface Chain {
  readonly header: number;
  readonly last: number;
}

/** Hold the lock. Renamed after the sync: the header is always complete. Fails with local-file (14). */
export async function createJournal(durable: DurableFiles, path: string, header: BatchHeader): Promise<Journal> {
  if ((await durable.size(path)) !== undefined) throw localFile(`${path} exists already`, 'Name another --out.');
  await refuseForeignEnd(durable, path);
  const line = encodeRecord({ kind: 'header', header });
  const record = Buffer.from(line);
  const unfinished = newJournalPath(path);
  await writeSyncedFile(durable, unfinished, [record]);
  await durable.replace(unfinished, path);
  const last = checksumOfRecord(line);
  return reopenJournal(durable, path, { validBytes: record.byteLength, tornBytes: 0, chain: { header: last, last } });
}

/** Moves an incomplete last record to a file named after its offset. Fails with local-file (14). */
export async function reopenJournal(durable: DurableFiles, path: string, end: JournalEnd): Promise<Journal> {
  const { validBytes, tornBytes, chain } = end;
  // A crash may have left an incomplete copy: it is always written again.
  if (tornBytes > 0) await writeSyncedFile(durable, tornPath(path, validBytes), durable.read(path, validBytes));
  const file = await durable.open(path);
  if (tornBytes > 0) await file.truncate(validBytes);
  let bytes = validBytes;
  const syncedEnd = await openSyncedEnd(durable, path, { ...chain, bytes });
  const writer = createGroupWriter(file, async (lines) => {
    bytes += Buffer.byteLength(lines.join(''));
    await syncedEnd.write({ header: chain.header, bytes, last: checksumOfRecord(lines.at(-1) ?? '') });
  });
  return journalOn({ ...writer, close: () => Promise.all([writer.close(), syncedEnd.close()]).then() }, chain.last);
}

function journalOn(writer: GroupWriter, seed: number) {
  let last = seed;
  return {
    /** On disk when it resolves. Fails with local-file (14), and then every later write fails too. */
    write: (record: JournalRecord): Promise<void> => {
      const line = encodeRecord(record, last);
      last = checksumOfRecord(line);
      return writer.append(line);
    },
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
      if (brokenAt !== undefined || containsRecord(line.bytes)) throw brokenBefore(path, brokenAt ?? line.start);
      if (chain !== undefined && line.complete && isWholeRecord(line.bytes))
        throw brokenJournal(path, line.start, 'records before it are missing, or were changed');
      brokenAt = line.start;
      continue;
    }
    if (brokenAt !== undefined) throw brokenBefore(path, brokenAt);
    if ((line.start === 0) !== (record.kind === 'header' || record.kind === 'other-version'))
      throw brokenJournal(path, line.start, 'a record is in the wrong place');
    if (record.kind === 'other-version') throw otherVersion(path, record.version);
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
  for await (const line of linesOf(beginningOf(durable.read(path, 0)), MAX_HEADER_BYTES)) {
    const record = line.complete ? decodeRecord(line.bytes) : undefined;
    if (record?.kind === 'other-version') throw otherVersion(path, record.version);
    if (record?.kind !== 'header') break;
    return record.header;
  }
  throw noJournal(path);
}

/** Only the first chunk where no header begins. */
async function* beginningOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    const isJournal = bytes > 0 || /^[0-9a-f]{8} \d{1,9} /.test(Buffer.from(chunk.subarray(0, 20)).toString('latin1'));
    bytes += chunk.byteLength;
    yield chunk;
    if (!isJournal || bytes > MAX_HEADER_BYTES) return;
  }
}

/** True when the line feed before a complete record was damaged. */
function containsRecord(line: Uint8Array): boolean {
  const text = Buffer.from(line).toString('latin1');
  const starts = [...text.matchAll(/[0-9a-f]{8} \d{1,9} /g)].map(({ index }) => index);
  return starts.some((start) => start > 0 && isWholeRecord(line.subarray(start)));
}

const noJournal = (path: string): Failure =>
  localFile(`${path} is not the journal of a batch`, 'Name the results file of a batch.');

const brokenBefore = (path: string, offset: number): Failure =>
  brokenJournal(path, offset, 'a broken record is followed by others');

/** Exit 14. The file is not changed. */
export const brokenJournal = (path: string, offset: number, why: string, hint = RESTORE): Failure =>
  localFile(`the journal ${path} is broken at byte ${String(offset)}: ${why}`, hint);

const RESTORE =
  'Nothing was changed. Restore a copy of it, or begin a new batch with another --out; what was fetched is in the results file.';

const otherVersion = (path: string, version: number): Failure =>
  localFile(
    `the journal ${path} was written by another version of berth (form ${String(version)})`,
    'Go on with that version.',
  );

/** Follows links. Fails with usage (2) for an invalid name, local-file (14) for anything but a file. */
export async function resolveResultsPath(durable: DurableFiles, name: string): Promise<string> {
  if (name === '' || name === '-' || name.endsWith('/'))
    throw usage(
      `results are written to a file, and ${JSON.stringify(name)} is not the name of one`,
      'A journal is kept beside the file, from which the batch can be resumed.',
    );
  const { path, kind } = await durable.resolve(name);
  if (kind === 'directory' || kind === 'other')
    throw localFile(
      `${path} is ${kind === 'directory' ? 'a directory' : 'no regular file'}`,
      'Results are written to a regular file: a resume truncates it and reads it again.',
    );
  return path;
}

/** Fails with local-file (14) for files that exist or belong to a batch, or a missing directory. */
export async function mustBeNew(
  durable: DurableFiles,
  path: string,
  copiesInput: boolean,
  local: boolean,
): Promise<void> {
  if ((await durable.resolve(path)).kind === 'no-folder') {
    const folder = dirname(path);
    const isThere = ['file', 'other'].includes((await durable.resolve(folder)).kind);
    if (isThere) throw localFile(`${folder} is no directory`, 'Name another --out.');
    throw localFile(`the directory ${folder} does not exist`, 'Make it, or name another --out.');
  }
  if (await exists(durable, journalPath(path)))
    throw localFile(
      `there is a batch at ${path} already`,
      sentence`Go on with it: ${resumeLine(local, path)}. Or name another --out.`,
    );
  if (((await durable.size(path)) ?? 0) > 0) throw localFile(`${path} exists already`, 'Name another --out.');
  const torn = tornEnd(path);
  for (const end of torn === undefined ? OWN_ENDS : [...OWN_ENDS, torn]) {
    const results = path.slice(0, -end.length);
    if (path.endsWith(end) && (await exists(durable, journalPath(results))))
      throw localFile(`${path} is a name that the batch at ${results} uses`, 'Name another --out.');
    if (await exists(durable, journalPath(path + end)))
      throw localFile(`a batch has its results in ${path}${end}, and this one would write that`, 'Name another --out.');
  }
  await mustBeUnused(durable, orderedPath(path));
  if (copiesInput) await mustBeUnused(durable, inputCopyPath(path));
}

/** Never overwrites a file that is not the batch's own. Fails with local-file (14). */
async function mustBeUnused(durable: DurableFiles, path: string): Promise<void> {
  if (await exists(durable, path))
    throw localFile(`${path} exists already, and this batch would write it`, 'Move it away, or name another --out.');
}

/** A dangling symbolic link exists too: replacing it would destroy it. */
async function exists(durable: DurableFiles, name: string): Promise<boolean> {
  const { path, kind } = await durable.resolve(name);
  return kind !== 'nothing' || path !== name;
}

/** Fails with local-file (14) when there is none. */
export async function mustExist(durable: DurableFiles, path: string): Promise<void> {
  if ((await durable.size(journalPath(path))) === undefined)
    throw localFile(
      `there is no batch at ${path}: ${journalPath(path)} does not exist`,
      'Name the results file that the batch was begun with (--out). If it was killed before it had begun, nothing was sent: run it again.',
    );
}

/** Fails with usage (2) and local-file (14), also when its journal does not begin as one. */
export async function findBatch(
  durable: DurableFiles,
  name: string,
): Promise<{ readonly path: string; readonly header: BatchHeader }> {
  const path = await resolveResultsPath(durable, name);
  await mustExist(durable, path);
  // Any file may have the name of a journal: it is read further only where it begins as one.
  return { path, header: await readHeader(durable, journalPath(path)) };
}
