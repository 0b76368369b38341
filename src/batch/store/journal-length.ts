import type { DurableFiles } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import { collectBytes } from '../../core/files/byte-streams.ts';
import type { Bytes } from '../../core/unit-types.ts';
import { endPath } from './file-names.ts';
import { checksum } from './record.ts';

/**
 * Where the last synced record of a journal ends. It is in a file beside the journal, because nothing in a journal shows that
 * records at its end are missing.
 */
export interface SyncedEnd {
  /** The checksum of the header: the file may have been left by another batch at this place. */
  readonly header: number;
  readonly bytes: Bytes;
  /** The checksum of the last record. */
  readonly last: number;
}

/** What the file has: always the same number of bytes, so that a write never changes its length. */
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

/**
 * Reads where the journal at `path` ended when it was last synced. Undefined when that is not known: an earlier version wrote
 * the journal, or the file is not whole. Fails with local-file (14) when it cannot be read.
 */
export async function readSyncedEnd(durable: DurableFiles, path: string): Promise<SyncedEnd | undefined> {
  if ((await durable.size(endPath(path))) !== LENGTH) return undefined;
  const content = await collectBytes(durable.read(endPath(path), 0), LENGTH);
  return content === undefined ? undefined : decodeEnd(content);
}

/**
 * Opens the file beside the journal at `path` and writes this end to it. Each later `write` must follow a sync of the journal;
 * it is not synced itself: after a power cut, the file has this end or an earlier one, and both are right. Fails with
 * local-file (14), as `refuseForeignEnd` does too.
 */
export async function openSyncedEnd(durable: DurableFiles, path: string, first: SyncedEnd) {
  await refuseForeignEnd(durable, path);
  const file = await durable.openRanges(endPath(path), 0o600);
  const write = (end: SyncedEnd): Promise<void> => file.write(encodeEnd(end), 0);
  await write(first);
  await file.sync();
  return { write, close: (): Promise<void> => file.close() };
}

/** Fails with local-file (14) when the file that would be beside the journal at `path` is there and no batch wrote it. */
export async function refuseForeignEnd(durable: DurableFiles, path: string): Promise<void> {
  const size = (await durable.size(endPath(path))) ?? 0;
  if (size > 0 && (await readSyncedEnd(durable, path)) === undefined)
    throw localFile(`${endPath(path)} exists already, and this batch would write it`, 'Move it away.');
}
