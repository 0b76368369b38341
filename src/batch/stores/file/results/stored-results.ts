import type { DurableFiles } from '../../../../core/context.ts';
import { firstBytes, lineGroups, type Line } from '../../../bytes/split-lines.ts';
import { hasResult } from '../../../model/item-state-machine.ts';
import type { ItemStates } from '../../../model/item-states.ts';
import { itemOfLine } from '../../../model/result-line.ts';

/** A line of the results file, without its line feed. Offsets are bytes. */
export interface StoredResult {
  readonly item: number;
  readonly bytes: Uint8Array;
  readonly start: number;
}

/** Where the results of a batch are, and the items that they may belong to. */
export interface ResultsSource {
  readonly path: string;
  /** Length of the results that the journal records. */
  readonly resultBytes: number;
  readonly states: ItemStates;
  /** True when the file may have several lines for one item. */
  readonly hasRerunItems: boolean;
}

/**
 * Returns one result for each item that has ended: its last line when it has several. An item that was sent again and
 * has not ended has no result. Results are grouped by the chunk of the file, in the order of the file. Only eight bytes
 * per item are kept in memory, and only when some items ran again. Fails as reading does, and with the signal's reason.
 */
export async function* storedResults(
  durable: DurableFiles,
  source: ResultsSource,
  signal?: AbortSignal,
): AsyncGenerator<Iterable<StoredResult>> {
  const latest = source.hasRerunItems ? await latestLines(durable, source, signal) : undefined;
  function* current(lines: Iterable<Line>): Generator<StoredResult> {
    for (const line of resultLines(lines))
      if (hasResult(source.states.stateOf(line.item)) && (latest?.[line.item] ?? line.start) === line.start) yield line;
  }
  for await (const lines of linesOf(durable, source, signal)) yield current(lines);
}

/** Returns the offset of the last line of each item that has ended, and -1 for every other item. */
export async function resultOffsets(
  durable: DurableFiles,
  source: ResultsSource,
  signal?: AbortSignal,
): Promise<Float64Array> {
  const offsets = await latestLines(durable, source, signal);
  for (const [item] of offsets.entries()) if (!hasResult(source.states.stateOf(item))) offsets[item] = -1;
  return offsets;
}

async function latestLines(durable: DurableFiles, source: ResultsSource, signal?: AbortSignal): Promise<Float64Array> {
  const starts = new Float64Array(source.states.positions + 1).fill(-1);
  for await (const lines of linesOf(durable, source, signal))
    for (const { item, start } of resultLines(lines)) starts[item] = start;
  return starts;
}

async function* linesOf(
  durable: DurableFiles,
  { path, resultBytes }: ResultsSource,
  signal?: AbortSignal,
): AsyncGenerator<Iterable<Line>> {
  if (resultBytes === 0) return;
  for await (const lines of lineGroups(firstBytes(durable.read(path, 0), resultBytes), Number.MAX_SAFE_INTEGER)) {
    if (signal?.aborted === true) throw signal.reason;
    yield lines;
  }
}

function* resultLines(lines: Iterable<Line>): Generator<StoredResult> {
  for (const { bytes, start, complete } of lines) {
    const item = complete ? itemOfLine(bytes) : undefined;
    if (item !== undefined) yield { item, bytes, start };
  }
}
