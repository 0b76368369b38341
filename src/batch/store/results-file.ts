import { crc32 } from 'node:zlib';
import type { DurableFiles } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import { numberAt, stringAt, tryDecodeJson } from '../../core/json.ts';
import { firstBytes, linesOf } from '../bytes/split-lines.ts';
import { createGroupWriter } from '../bytes/synced-files.ts';
import type { Ending } from '../model/item-states.ts';
import { endingOf } from '../model/result-line.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** A number of bytes from the start of the results file, and the CRC-32 of these bytes. */
export interface ResultsExtent {
  readonly resultBytes: Bytes;
  readonly checksum: number;
}

export const NO_RESULTS: ResultsExtent = { resultBytes: 0, checksum: 0 };

/** Opens a results file whose content has this extent. */
export async function openResults(durable: DurableFiles, path: string, content: ResultsExtent) {
  const writer = createGroupWriter(await durable.open(path));
  let extent = content;
  return {
    /** Resolves when the line is on disk, with the extent of the file up to its end. Fails with local-file (14). */
    append: async (line: string): Promise<ResultsExtent> => {
      extent = {
        resultBytes: extent.resultBytes + Buffer.byteLength(line),
        checksum: crc32(line, extent.checksum),
      };
      const upToHere = extent;
      await writer.append(line);
      return upToHere;
    },
    /** Extent of all lines appended so far. */
    extent: (): ResultsExtent => extent,
    /** Fails with local-file (14) when another process changed the file. Call it only when the file is idle. */
    check: () => writer.check(),
    /** Resolves when no write is pending. */
    idle: () => writer.idle(),
    close: async (): Promise<void> => {
      await writer.idle();
      await writer.close();
    },
  };
}

/** The results file while it is written. */
export type Results = Awaited<ReturnType<typeof openResults>>;

/** A result that is not in the journal: the process ended after writing the result and before the journal record. */
interface UnrecordedResult {
  readonly item: number;
  readonly job: string | undefined;
  readonly ending: Ending;
  /** Extent of the file up to the end of this line. */
  readonly extent: ResultsExtent;
}

export interface ResultsContent {
  /** Extent of the results that the journal records. */
  readonly recorded: ResultsExtent;
  /** The complete results after them, up to the first line that is not one. */
  readonly unrecorded: readonly UnrecordedResult[];
  readonly size: number;
}

/**
 * Reads a results file and compares its beginning with the length and the CRC-32 that the journal records. Journals of
 * an earlier version have no CRC-32. Fails with local-file (14) when the file is shorter or different, and with the
 * signal's reason when it is aborted.
 */
export async function readResults(
  durable: DurableFiles,
  path: string,
  { resultBytes, checksum }: { readonly resultBytes: Bytes; readonly checksum: number | undefined },
  signal?: AbortSignal,
): Promise<ResultsContent> {
  const size = await durable.size(path);
  if (size === undefined || size < resultBytes)
    throw localFile(
      `the results file ${path} ${size === undefined ? 'is missing' : `has ${size} bytes`}, and its journal records ${resultBytes}`,
      RESTORE,
    );
  const actual = await checksumOf(durable, path, resultBytes, signal);
  if (checksum !== undefined && actual !== checksum)
    throw localFile(
      `the results file ${path} was changed since it was written: its first ${resultBytes} bytes are not those that the journal records`,
      `Nothing was sent or changed. ${RESTORE}`,
    );
  const unrecorded: UnrecordedResult[] = [];
  let sum = actual;
  for await (const line of linesOf(durable.read(path, resultBytes), Number.MAX_SAFE_INTEGER)) {
    if (!line.complete) break;
    sum = crc32('\n', crc32(line.bytes, sum));
    const result = parseResult(line.bytes, { resultBytes: resultBytes + line.end, checksum: sum });
    if (result === undefined) break;
    unrecorded.push(result);
  }
  return { recorded: { resultBytes, checksum: actual }, unrecorded, size };
}

const RESTORE = 'Restore it as it was, or begin a new batch with another --out.';

/** Returns the CRC-32 of the first bytes of a file. Fails as reading does, and with the signal's reason. */
export async function checksumOf(
  durable: DurableFiles,
  path: string,
  bytes: Bytes,
  signal?: AbortSignal,
): Promise<number> {
  let sum = 0;
  for await (const chunk of firstBytes(durable.read(path, 0), bytes)) {
    if (signal?.aborted === true) throw signal.reason;
    sum = crc32(chunk, sum);
  }
  return sum;
}

function parseResult(bytes: Uint8Array, extent: ResultsExtent): UnrecordedResult | undefined {
  const value = tryDecodeJson(Buffer.from(bytes).toString('utf8'));
  const item = numberAt(value, 'item');
  const ending = value === undefined ? undefined : endingOf(value);
  return item === undefined || ending === undefined ? undefined : { item, job: stringAt(value, 'job'), ending, extent };
}
