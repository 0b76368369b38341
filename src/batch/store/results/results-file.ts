import { crc32 } from 'node:zlib';
import type { DurableFiles } from '../../../core/context.ts';
import { localFile } from '../../../core/failure.ts';
import {
  decodeJson,
  encodeJson,
  Exact,
  isObject,
  memberAt,
  numberOf,
  stringOf,
  type Json,
} from '../../../core/json.ts';
import { createAppender } from '../group-writer.ts';
import { linesOf } from '../../lines.ts';
import type { Ending } from '../items/item-state-machine.ts';

/** What a results file holds up to some place: its bytes, and their CRC-32. */
export interface ResultsExtent {
  readonly resultBytes: number;
  readonly checksum: number;
}

/** The results file while it is written. */
export interface Results {
  /** Resolves with what the file holds up to the end of this line, when it is on the disk. Fails with local-file (14). */
  put(line: string): Promise<ResultsExtent>;
  /** All that was put so far. */
  readonly extent: () => ResultsExtent;
  idle(): Promise<void>;
  /** Fails with local-file (14) where somebody else wrote, cut, removed or replaced it. Call it when it is idle. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export const NO_RESULTS: ResultsExtent = { resultBytes: 0, checksum: 0 };

/** A results file that holds so much. */
export async function openResults(durable: DurableFiles, path: string, holds: ResultsExtent): Promise<Results> {
  const file = await durable.open(path);
  const appender = createAppender(file);
  let extent = holds;
  return {
    put: async (line) => {
      extent = {
        resultBytes: extent.resultBytes + Buffer.byteLength(line),
        checksum: crc32(line, extent.checksum),
      };
      const upToHere = extent;
      await appender.put(line);
      return upToHere;
    },
    extent: () => extent,
    check: () => appender.check(),
    idle: () => appender.idle(),
    close: async () => {
      await appender.idle();
      await appender.close();
    },
  };
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  ERROR: 'failed',
  CANCELLED: 'cancelled',
  TIMED_OUT: 'timedOut',
  // Written by this program, where there is no document of the service's.
  EXPIRED: 'expired',
  REFUSED: 'failed',
};

/** How a job ended by its status (specification 3.2); undefined while it has not. */
export const endingOf = (document: Json | undefined): Ending | undefined => {
  const status = stringOf(memberAt(document, 'status')) ?? '';
  return Object.hasOwn(ENDINGS, status) ? ENDINGS[status] : undefined;
};

/** Whose result a line holds. */
export interface LineOwner {
  readonly item: number;
  /** JSON text of the item's own id. */
  readonly id?: string | undefined;
  readonly job?: string | undefined;
}

const KEPT = ['status', 'output', 'error', 'delayTime', 'executionTime'];

/** One line of the results: the item, and what the service says of its job, numbers exact. */
export function resultLine({ item, id, job }: LineOwner, document: Json): string {
  const said = isObject(document) ? Object.fromEntries(KEPT.map((name) => [name, document[name]])) : {};
  return `${encodeJson({
    item,
    ...(id === undefined ? {} : { id: new Exact(id) }),
    ...(job === undefined ? {} : { job }),
    ...said,
  })}\n`;
}

/** A line that the journal does not know of yet, because the process ended between the two files. */
export interface UnknownLine {
  readonly item: number;
  readonly job: string | undefined;
  readonly ending: Ending;
  /** The file up to the end of this line. */
  readonly extent: ResultsExtent;
}

/** A results file as it is found. */
export interface FoundResults {
  /** What the journal knows of. */
  readonly known: ResultsExtent;
  /** What lies behind that: lines that are whole results, up to the first that is not one. */
  readonly lines: readonly UnknownLine[];
  /** Bytes of all the file. */
  readonly size: number;
}

/**
 * Reads a results file of which the journal knows so many bytes, and their CRC-32 unless an earlier version wrote it.
 * Fails with local-file (14) where it is shorter than that, or holds something else.
 */
export async function readResults(
  durable: DurableFiles,
  path: string,
  { resultBytes: known, checksum }: { readonly resultBytes: number; readonly checksum: number | undefined },
  interrupt?: AbortSignal,
): Promise<FoundResults> {
  const size = await durable.size(path);
  if (size === undefined || size < known)
    throw localFile(
      `the results file ${path} ${size === undefined ? 'is gone' : `has ${String(size)} bytes`}, and its journal knows of ${String(known)}`,
      BRING_BACK,
    );
  const found = await checksumOf(durable, path, known, interrupt);
  if (checksum !== undefined && found !== checksum)
    throw localFile(
      `the results file ${path} was changed since it was written: its first ${String(known)} bytes are not what the journal knows`,
      `Nothing was sent or changed. ${BRING_BACK}`,
    );
  const lines: UnknownLine[] = [];
  let sum = found;
  for await (const line of linesOf(durable.read(path, known), Number.MAX_SAFE_INTEGER)) {
    if (!line.whole) break;
    sum = crc32('\n', crc32(line.bytes, sum));
    const result = readLine(line.bytes, { resultBytes: known + line.end, checksum: sum });
    if (result === undefined) break;
    lines.push(result);
  }
  return { known: { resultBytes: known, checksum: found }, lines, size };
}

const BRING_BACK = 'Bring it back as it was, or begin anew with another --out.';

/** CRC-32 of the first so many bytes of a file. Fails as reading does, and with the interrupt. */
export async function checksumOf(
  durable: DurableFiles,
  path: string,
  bytes: number,
  interrupt?: AbortSignal,
): Promise<number> {
  let sum = 0;
  let left = bytes;
  if (left === 0) return sum;
  for await (const piece of durable.read(path)) {
    if (interrupt?.aborted === true) throw interrupt.reason;
    const part = piece.subarray(0, left);
    sum = crc32(part, sum);
    left -= part.byteLength;
    if (left === 0) break;
  }
  return sum;
}

function readLine(bytes: Uint8Array, extent: ResultsExtent): UnknownLine | undefined {
  let value: Json;
  try {
    value = decodeJson(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
  const item = numberOf(memberAt(value, 'item'));
  const ending = endingOf(value);
  return item === undefined || ending === undefined
    ? undefined
    : { item, job: stringOf(memberAt(value, 'job')), ending, extent };
}
