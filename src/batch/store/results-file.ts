import { crc32 } from 'node:zlib';
import { firstBytes, linesOf } from '../bytes/split-lines.ts';
import { createGroupWriter } from '../bytes/synced-files.ts';
import type { Ending } from '../model/item-states.ts';
import { endingOf } from '../model/result-line.ts';
import type { DurableFiles } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import { numberAt, stringAt, tryDecodeJson } from '../../core/json.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** Bytes from the start, and their CRC-32. */
export interface ResultsExtent {
  readonly resultBytes: Bytes;
  readonly checksum: number;
}

export const NO_RESULTS: ResultsExtent = { resultBytes: 0, checksum: 0 };

export async function openResults(durable: DurableFiles, path: string, content: ResultsExtent) {
  const writer = createGroupWriter(await durable.open(path));
  let extent = content;
  return {
    /** Resolves when the line is on disk. Fails with local-file (14). */
    append: async (line: string): Promise<ResultsExtent> => {
      extent = {
        resultBytes: extent.resultBytes + Buffer.byteLength(line),
        checksum: crc32(line, extent.checksum),
      };
      const upToHere = extent;
      await writer.append(line);
      return upToHere;
    },
    extent: (): ResultsExtent => extent,
    /** Fails with local-file (14) when another process changed the file. Call it only when the file is idle. */
    check: () => writer.check(),
    idle: () => writer.idle(),
    close: async (): Promise<void> => {
      await writer.idle();
      await writer.close();
    },
  };
}

export type Results = Awaited<ReturnType<typeof openResults>>;

/** The process ended after writing the result and before the journal record. */
interface UnrecordedResult {
  readonly item: number;
  readonly job: string | undefined;
  readonly ending: Ending;
  readonly extent: ResultsExtent;
}

export interface ResultsContent {
  readonly recorded: ResultsExtent;
  /** Complete results after those, up to the first line that is not one. */
  readonly unrecorded: readonly UnrecordedResult[];
  readonly size: number;
}

/** Fails with local-file (14) when it is shorter than, or differs from, what the journal records. */
export async function readResults(
  durable: DurableFiles,
  path: string,
  { resultBytes, checksum }: ResultsExtent,
  signal?: AbortSignal,
): Promise<ResultsContent> {
  const size = await durable.size(path);
  if (size === undefined || size < resultBytes)
    throw localFile(
      `the results file ${path} ${size === undefined ? 'is missing' : `has ${size} bytes`}, and its journal records ${resultBytes}`,
      RESTORE,
    );
  const actual = await checksumOf(durable, path, resultBytes, signal);
  if (actual !== checksum)
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

/** Fails as reading does, and with the signal's reason. */
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
