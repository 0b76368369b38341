import type { DurableFiles } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import { decodeJson, encodeJson, Exact, isObject, memberAt, numberOf, stringOf, type Json } from '../../core/json.ts';
import { createAppender } from './appender.ts';
import { linesOf } from '../lines.ts';
import type { Ending } from './machine.ts';

/** The results file while it is written. */
export interface Results {
  /** Resolves with the bytes the file has with this line, when it is on the disk. Fails with local-file (14). */
  put(line: string): Promise<number>;
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** A results file that has so many bytes. */
export async function openResults(durable: DurableFiles, path: string, size: number): Promise<Results> {
  const file = await durable.open(path);
  const appender = createAppender(file);
  let end = size;
  return {
    put: async (line) => {
      const bytes = (end += Buffer.byteLength(line));
      await appender.put(line);
      return bytes;
    },
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
  /** Bytes of the file with this line. */
  readonly bytes: number;
}

/**
 * What a results file holds beyond the `known` bytes that the journal speaks of: lines that are whole results, up to the
 * first that is not one, and the bytes of all the file. Fails with local-file (14) where it is shorter than the journal
 * knows.
 */
export async function linesBeyond(
  durable: DurableFiles,
  path: string,
  known: number,
): Promise<{ readonly lines: readonly UnknownLine[]; readonly size: number }> {
  const size = await durable.size(path);
  if (size === undefined || size < known)
    throw localFile(
      `the results file ${path} ${size === undefined ? 'is gone' : `has ${String(size)} bytes`}, and its journal knows of ${String(known)}`,
      'Bring it back, or begin anew with another --out.',
    );
  const lines: UnknownLine[] = [];
  for await (const line of linesOf(durable.read(path, known), Number.MAX_SAFE_INTEGER)) {
    const found = line.whole ? readLine(line.bytes, known + line.end) : undefined;
    if (found === undefined) break;
    lines.push(found);
  }
  return { lines, size };
}

function readLine(bytes: Uint8Array, end: number): UnknownLine | undefined {
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
    : { item, job: stringOf(memberAt(value, 'job')), ending, bytes: end };
}
