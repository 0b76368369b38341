import { localFile, usage } from '../../core/failure.ts';
import { decodeJson, isObject, type Json, type JsonObject } from '../../core/json.ts';
import { type BatchInputs, inputItems, type InputPorts } from '../read/inputs.ts';
import { textOf } from '../read/items.ts';
import { RESULT_MEMBERS } from '../model/result-line.ts';
import type { BatchStatus, ResultLine } from '../model/batch.ts';
import { readBatchResults, sumOf } from '../store/batch-results.ts';
import type { DurableFiles } from '../../core/context.ts';
import { writeSyncedFile } from '../bytes/synced-files.ts';

interface ExportOptions {
  readonly joinInput: boolean;
  /** Joined rows always are. */
  readonly ordered: boolean;
}

interface ExportedResults {
  readonly status: BatchStatus;
  /** Absolute paths. */
  readonly files: readonly string[];
  /** By what is read at once: one `await` per row would take longer than the row. */
  readonly rows: AsyncGenerator<Iterable<JsonObject>>;
}

/** In their order; `input` only where it was joined. */
export const EXPORT_MEMBERS = RESULT_MEMBERS.flatMap((name) =>
  name === 'output' ? (['input', name] as const) : [name],
);

/** The batch may still run. Fails as `readBatchResults` and `sumOf`, or with usage (2) for another batch's input. */
export async function exportResults(
  ports: InputPorts,
  results: readonly string[],
  { joinInput, ordered }: ExportOptions,
): Promise<ExportedResults> {
  const all: StoredBatch[] = [];
  for (const name of results) all.push(await readBatchResults(ports, name));
  const status = sumOf(all);
  const about = { status, files: all.flatMap(({ files }) => files) };
  if (!joinInput) return { ...about, rows: plainRows(status.name, ordered ? inOrder(all) : asStored(all)) };
  const [first] = all;
  if (first === undefined) throw new Error('no results file was named');
  // The shards of a batch have one input.
  return { ...about, rows: joinedRows(ports, status.name, await first.inputs(), inOrder(all)) };
}

type StoredBatch = Awaited<ReturnType<typeof readBatchResults>>;
type ResultLines = AsyncGenerator<Iterable<ResultLine>>;

async function* asStored(all: readonly StoredBatch[]): ResultLines {
  for (const { lines } of all) yield* lines('as-stored');
}

/** Of several shards: by the numbers of their items. */
async function* inOrder(all: readonly StoredBatch[]): ResultLines {
  const [first] = all;
  if (first !== undefined && all.length === 1) {
    yield* first.lines('in-order');
    return;
  }
  const streams = all.map(({ lines }) => ungrouped(lines('in-order')));
  try {
    const heads = await Promise.all(streams.map((stream) => stream.next()));
    for (;;) {
      const items = heads.map(({ done, value }) => (done === true ? Number.POSITIVE_INFINITY : value.item));
      const at = items.indexOf(Math.min(...items));
      const [head, stream] = [heads[at], streams[at]];
      if (head === undefined || stream === undefined || head.done === true) return;
      yield [head.value];
      heads[at] = await stream.next();
    }
  } finally {
    for (const stream of streams) await stream.return(undefined);
  }
}

async function* plainRows(
  name: string,
  groups: AsyncIterable<Iterable<ResultLine>>,
): AsyncGenerator<Iterable<JsonObject>> {
  function* rowsOf(lines: Iterable<ResultLine>): Generator<JsonObject> {
    for (const line of lines) yield rowOf(name, line, undefined);
  }
  for await (const lines of groups) yield rowsOf(lines);
}

/** Reads results and items side by side: both are in the order of the input. Inputs without a result are not read. */
async function* joinedRows(
  ports: InputPorts,
  name: string,
  inputs: BatchInputs,
  groups: AsyncIterable<Iterable<ResultLine>>,
): AsyncGenerator<Iterable<JsonObject>> {
  const results = ungrouped(groups);
  try {
    let next = await results.next();
    for (const input of inputs.sources) {
      if (next.done === true) return;
      if (next.value.item >= input.firstItem + input.items) continue;
      for await (const group of inputItems(ports, inputs, input)) {
        const rows: JsonObject[] = [];
        for (const item of group) {
          if (next.done === true || item.kind !== 'item' || next.value.item !== item.number) continue;
          rows.push(rowOf(name, next.value, decodeJson(textOf(item.input))));
          next = await results.next();
        }
        yield rows;
      }
    }
  } finally {
    await results.return(undefined);
  }
}

async function* ungrouped(groups: AsyncIterable<Iterable<ResultLine>>): AsyncGenerator<ResultLine> {
  for await (const lines of groups) yield* lines;
}

/** Every row has the same members: a table of them has the same columns. */
function rowOf(name: string, { bytes }: ResultLine, input: Json | undefined): JsonObject {
  const result = decodeJson(textOf(bytes));
  if (!isObject(result) || typeof result['item'] !== 'number') throw localFile(`${name} was changed while it was read`);
  return Object.fromEntries(
    EXPORT_MEMBERS.flatMap((member): readonly (readonly [string, Json])[] => {
      if (member === 'input') return input === undefined ? [] : [[member, input]];
      return [[member, result[member] ?? null]];
    }),
  );
}

interface ExportFile {
  readonly name: string;
  /** An empty file is replaced in any case. */
  readonly force: boolean;
  /** Absolute paths; never replaced. */
  readonly batchFiles: readonly string[];
}

/** Renamed when complete. Fails with local-file (14) for an existing file, usage (2) for a batch file. */
export async function writeExport(
  durable: DurableFiles,
  { name, force, batchFiles }: ExportFile,
  parts: AsyncIterable<string>,
): Promise<void> {
  const { path, kind } = await durable.resolve(name);
  if (name === '' || kind === 'directory' || kind === 'other' || kind === 'no-folder')
    throw localFile(`${JSON.stringify(name)} is not the name of a file that can be written`, 'Name another --out.');
  if (batchFiles.includes(durable.absolute(path)))
    throw usage(`--out names a file of the batch itself, ${path}`, 'Name another file.');
  const mustBeFree = async (): Promise<void> => {
    if (!force && ((await durable.size(path)) ?? 0) > 0)
      throw localFile(`${path} exists already`, 'Name another --out, or replace it with --force.');
  };
  await mustBeFree();
  const temporary = `${path}.exporting`;
  await writeSyncedFile(durable, temporary, encoded(parts));
  try {
    // Another program may have created it meanwhile.
    await mustBeFree();
    await durable.replace(temporary, path);
  } catch (error) {
    await durable.remove(temporary).catch(() => undefined);
    throw error;
  }
}

async function* encoded(parts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield Buffer.from(part);
}
