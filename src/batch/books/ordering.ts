import type { DurableFiles } from '../../core/context.ts';
import { linesOf } from '../lines.ts';
import type { JournalRecord } from './record.ts';
import { writeWhole } from './whole-file.ts';

/** The results in their new order, until they take the place of the old ones. */
export const orderedPath = (results: string): string => `${results}.ordered`;

/** Bytes of results that are held at a time. */
const HELD_BYTES = 16 * 1024 * 1024;

/**
 * Puts the results in the order of the input; of an item that has several lines the last is kept. The memory it takes
 * does not grow with the file, which is read once for every 16 MiB of it. Whatever ends the process in between, one whole
 * file is there: the journal says first how long the new one is. Fails with local-file (14).
 */
export async function orderResults(
  durable: DurableFiles,
  path: string,
  positions: number,
  note: (record: JournalRecord) => Promise<void>,
): Promise<void> {
  const sizes = new Uint32Array(positions + 1);
  for await (const { item, bytes } of resultLines(durable, path)) sizes[item] = bytes.byteLength + 1;
  const aside = orderedPath(path);
  let total = 0;
  async function* inOrder(): AsyncGenerator<Uint8Array> {
    for (let from = 1; from <= positions;) {
      const to = windowEnd(sizes, from);
      const held = new Map<number, Uint8Array>();
      for await (const { item, bytes } of resultLines(durable, path))
        if (item >= from && item < to) held.set(item, Buffer.concat([bytes, LINE_FEED]));
      const whole = Buffer.concat([...held].sort(([a], [b]) => a - b).map(([, bytes]) => bytes));
      total += whole.byteLength;
      yield whole;
      from = to;
    }
  }
  await writeWhole(durable, aside, inOrder());
  await note({ kind: 'ordered', bytes: total });
  await durable.replace(aside, path);
}

const LINE_FEED = Buffer.from('\n');

function windowEnd(sizes: Uint32Array, from: number): number {
  let bytes = 0;
  let to = from;
  while (to < sizes.length && (to === from || bytes + (sizes[to] ?? 0) <= HELD_BYTES)) {
    bytes += sizes[to] ?? 0;
    to += 1;
  }
  return to;
}

async function* resultLines(
  durable: DurableFiles,
  path: string,
): AsyncGenerator<{ readonly item: number; readonly bytes: Uint8Array }> {
  for await (const { bytes, whole } of linesOf(durable.read(path), Number.MAX_SAFE_INTEGER)) {
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(40, bytes.byteLength)).toString('latin1');
    const item = /^\{"item":(\d+)[,}]/.exec(head)?.[1];
    if (whole && item !== undefined) yield { item: Number(item), bytes };
  }
}
