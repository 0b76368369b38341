import type { JsonObject } from '../../core/json.ts';
import { usage } from '../../core/failure.ts';
import { inputOf, rowOf, type ExportedResults } from '../results/export/export-results.ts';
import type { ShardRange } from '../read/range.ts';
import { readAccount, type StoredBatch } from '../stores/postgres/rows/batch-rows.ts';
import { listParts } from '../stores/postgres/rows/listing.ts';
import { addressIn } from '../stores/postgres/driver/part-files.ts';
import { createOpenedInputs } from './opened-inputs.ts';
import { readShards, type ReadPorts, type ResultLines } from './part-reader.ts';

export interface SharedExportOptions {
  readonly joinInput: boolean;
  readonly ordered: boolean;
  /** Given by the user, and not possible: the manifest names the inputs. */
  readonly input: string | undefined;
}

/**
 * Opens the results that a shared batch has published. Memory is bounded: see `ShardReader`. Fails as `readShards`
 * does, and with local-file (14) when an input that is joined was changed.
 */
export async function exportSharedResults(
  ports: ReadPorts,
  batch: StoredBatch,
  { joinInput, ordered, input }: SharedExportOptions,
): Promise<ExportedResults> {
  if (input !== undefined)
    throw usage('--input cannot be changed for a batch in a store', 'Its inputs are in its manifest.');
  const { holds: _, ...counts } = await readAccount(ports.database, batch.batch);
  const parts = await listParts(ports.database, batch.batch, 0, batch.shards);
  const files = parts.map(({ name }) => addressIn(batch.manifest.out, name));
  return { counts, files, rows: () => (joinInput ? joinedRows(ports, batch) : plainRows(ports, batch, ordered)) };
}

async function* plainRows(
  ports: ReadPorts,
  batch: StoredBatch,
  ordered: boolean,
): AsyncGenerator<Iterable<JsonObject>> {
  for await (const { groups } of readShards(ports, batch))
    for await (const lines of groups()) {
      const items = ordered ? [...lines.keys()].sort((a, b) => a - b) : lines.keys();
      yield rowsOf(batch, lines, items);
    }
}

function* rowsOf(batch: StoredBatch, lines: ResultLines, items: Iterable<number>): Generator<JsonObject> {
  for (const item of items) {
    const line = lines.get(item);
    if (line !== undefined) yield rowOf(batch.manifest.out, line, undefined);
  }
}

async function* joinedRows(ports: ReadPorts, batch: StoredBatch): AsyncGenerator<Iterable<JsonObject>> {
  const { manifest } = batch;
  // Without the options of the jobs, the body contains only the input.
  const inputs = createOpenedInputs(ports, manifest, '');
  try {
    for await (const { shard, groups } of readShards(ports, batch))
      for await (const lines of groups()) {
        const source = await inputs.at(shard.source);
        for await (const group of source.read(shard.range as ShardRange)) {
          const rows: JsonObject[] = [];
          for (const item of group) {
            const line = lines.get(item.number);
            if (item.kind === 'item' && line !== undefined) rows.push(rowOf(manifest.out, line, inputOf(item)));
          }
          yield rows;
        }
      }
  } finally {
    await inputs.close();
  }
}
