import type { DurableFiles, ObjectStorage } from '../../../core/context.ts';
import { localFile, usage } from '../../../core/failure.ts';
import { decodeJson, type Json, type JsonObject } from '../../../core/json.ts';
import { intactResults, resultsChanged } from '../analysis/intact-results.ts';
import { fingerprintFile, verifiedItems } from '../../plan/input-file.ts';
import type { Item } from '../../read/item.ts';
import { inputCandidates, journalPath, lockPath, orderedPath } from '../../stores/file/file-names.ts';
import { readStatus, type StatusAndJournal } from '../../read-status.ts';
import type { ItemCounts } from '../../stores/items/item-states.ts';
import { resultOffsets, storedResults, type ResultsSource } from '../../stores/file/results/stored-results.ts';
import { checkStoredInputs, storedInputItems, storedInputs } from '../../stored-inputs.ts';
import { createBlockReader } from './block-reader.ts';

export interface ExportOptions {
  /** Path of the results file. */
  readonly results: string;
  /** Path of the input, when it was moved. */
  readonly input: string | undefined;
  /** True to add the input of each item. */
  readonly joinInput: boolean;
  /** True when the rows must be in the order of the input. Joined rows always are. */
  readonly ordered: boolean;
  readonly signal: AbortSignal;
  /** For the inputs of a batch that has several. */
  readonly storage: () => Promise<ObjectStorage>;
}

/** The results of a batch, one row per item. */
export interface ExportedResults {
  readonly counts: ItemCounts;
  /** Absolute paths of the files that belong to the batch. */
  readonly files: readonly string[];
  /**
   * Reads the rows, grouped by the part of the file that is read at once, because one `await` per row would take longer
   * than the row. Each call reads them from the beginning.
   */
  readonly rows: () => AsyncGenerator<Iterable<JsonObject>>;
}

/** The members of a row, in their order; `input` only where it was joined. */
export const EXPORT_MEMBERS = ['item', 'id', 'job', 'status', 'input', 'output', 'error', 'delayTime', 'executionTime'];

/** Maximum number of attempts to read the files, because a running batch may change them during the reading. */
const MAX_ATTEMPTS = 3;

/**
 * Opens the results that a batch has so far, whether it has ended, runs or was killed: the last result of each item
 * that has ended. Memory use does not grow with the results, except by eight bytes per item when they are put in order
 * or when some items ran again. Fails with local-file (14) when journal or results are broken, with usage (2) when the
 * input is not that of the batch, and with the signal's reason.
 */
export async function exportResults(durable: DurableFiles, options: ExportOptions): Promise<ExportedResults> {
  const { results, joinInput, ordered, signal } = options;
  for (let attempt = 1; ; attempt++) {
    const batch = await readStatus(durable, results);
    const source = await intactResults(durable, batch.status.results, batch.journal, signal);
    if (source === undefined && batch.status.holder !== undefined && attempt < MAX_ATTEMPTS) continue;
    if (source === undefined) throw resultsChanged(batch.status.results);
    const about = { counts: batch.status.counts, files: filesOf(durable, batch) };
    if (joinInput) return { ...about, rows: await joinedRows(durable, batch, source, options) };
    if (ordered) return { ...about, rows: () => rowsInOrder(durable, source, signal) };
    return { ...about, rows: () => rowsAsStored(durable, source, signal) };
  }
}

const filesOf = (durable: DurableFiles, { status, journal }: StatusAndJournal): readonly string[] =>
  [
    status.results,
    journalPath(status.results),
    lockPath(status.results),
    orderedPath(status.results),
    status.input,
    ...(storedInputs(status.results, journal.header.input)?.map(({ object }) => object.address) ??
      inputCandidates(status.results, journal.header.input)),
  ].map((path) => durable.absolute(path));

async function* rowsAsStored(
  durable: DurableFiles,
  source: ResultsSource,
  signal: AbortSignal,
): AsyncGenerator<Iterable<JsonObject>> {
  function* rowsOf(results: Iterable<{ readonly bytes: Uint8Array }>): Generator<JsonObject> {
    for (const { bytes } of results) yield rowOf(source.path, bytes, undefined);
  }
  for await (const results of storedResults(durable, source, signal)) yield rowsOf(results);
}

async function* rowsInOrder(
  durable: DurableFiles,
  source: ResultsSource,
  signal: AbortSignal,
): AsyncGenerator<Iterable<JsonObject>> {
  const offsets = await resultOffsets(durable, source, signal);
  const reader = createBlockReader(durable, source.path);
  for (const start of offsets) {
    if (start < 0) continue;
    if (signal.aborted) throw signal.reason;
    yield [rowOf(source.path, await reader.line(start), undefined)];
  }
}

/** Verifies the input before the first row, so that no row of a wrong input is joined. */
async function joinedRows(
  durable: DurableFiles,
  { status, journal: { header } }: StatusAndJournal,
  source: ResultsSource,
  { input = status.input, signal, storage }: ExportOptions,
): Promise<() => AsyncGenerator<Iterable<JsonObject>>> {
  const inputs = storedInputs(status.results, header.input);
  if (inputs !== undefined) {
    const ports = { storage: await storage(), signal };
    await checkStoredInputs(ports, inputs);
    const offsets = await resultOffsets(durable, source, signal);
    return () => joinItems(storedInputItems(ports, inputs, header.input, ''), offsets, durable, source);
  }
  if ((await durable.size(input)) === undefined)
    throw usage(`the input ${input} is not there`, 'Say where it is now with --input FILE, or leave --join-input out.');
  const fingerprint = await fingerprintFile(durable, input, header.input, signal);
  if (fingerprint.bytes !== header.input.bytes || fingerprint.sha256 !== header.input.sha256)
    throw usage(
      `the input ${input} is not the one this batch was begun with`,
      'Bring the old one back, or leave --join-input out.',
    );
  // Without the options of the jobs, the body contains only the input.
  const format = { ...header.input, extras: '' };
  const offsets = await resultOffsets(durable, source, signal);
  return () => joinItems(verifiedItems(durable, input, fingerprint, format, signal), offsets, durable, source);
}

async function* joinItems(
  groups: ReturnType<typeof verifiedItems>,
  offsets: Float64Array,
  durable: DurableFiles,
  source: ResultsSource,
): AsyncGenerator<Iterable<JsonObject>> {
  const reader = createBlockReader(durable, source.path);
  for await (const group of groups)
    for (const item of group) {
      const start = offsets[item.number] ?? -1;
      if (item.kind === 'item' && start >= 0) yield [rowOf(source.path, await reader.line(start), inputOf(item))];
    }
}

const BODY_START = '{"input":'.length;

/** Returns the input that is in the body of a submission. */
export const inputOf = ({ body }: Item): Json =>
  decodeJson(Buffer.from(body.buffer, body.byteOffset + BODY_START, body.byteLength - BODY_START - 1).toString('utf8'));

/** Returns the row of a result. Every row has the same members, so that a table of them has the same columns. */
export function rowOf(path: string, bytes: Uint8Array, input: Json | undefined): JsonObject {
  const result = decodeJson(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  ) as JsonObject;
  if (typeof result['item'] !== 'number') throw localFile(`${path} was changed while it was read`);
  return Object.fromEntries(
    EXPORT_MEMBERS.flatMap((name) => {
      if (name === 'input') return input === undefined ? [] : [[name, input]];
      return [[name, result[name] ?? null]];
    }),
  );
}
