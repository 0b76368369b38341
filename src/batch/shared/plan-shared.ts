import type { StoredObject } from '../../core/context.ts';
import { localFile, usage } from '../../core/failure.ts';
import { optionsText, type JobOptions } from '../../queue/submission.ts';
import { requireItems, type InputSummary } from '../input/check-input.ts';
import { parseColumnTypes } from '../input/csv-types.ts';
import type { InputFormat, InvalidItem, Item } from '../input/item.ts';
import { findInputs, formatByName } from '../input/sources/find-inputs.ts';
import type { InputSource } from '../input/sources/input-source.ts';
import { openSource, planSources } from '../input/sources/open-source.ts';
import type { Manifest, PlannedShard } from '../store/postgres/batch-rows.ts';
import { addressIn } from '../store/shared/part-files.ts';
import type { SharedPorts } from './ports.ts';

/** A new batch as the user describes it. */
export interface PlanOptions {
  readonly inputs: readonly string[];
  readonly out: string;
  readonly format?: InputFormat['format'] | undefined;
  readonly inputField?: string | undefined;
  readonly idField?: string | undefined;
  /** The types of CSV columns, as `price:number,active:boolean`. */
  readonly types?: string | undefined;
  readonly skipInvalid: boolean;
  /** Number of items of a shard; there is a default. */
  readonly itemsPerShard?: number | undefined;
  readonly compression: Manifest['compression'];
  readonly jobOptions: JobOptions;
}

/** A plan, without the endpoint. */
export interface Plan {
  readonly manifest: Pick<Manifest, 'input' | 'sources' | 'format' | 'extras' | 'out' | 'compression'>;
  readonly shards: readonly PlannedShard[];
  readonly summary: InputSummary;
}

/** A thousand shards are ten million items: few enough rows, and each takes a driver a few seconds at least. */
const ITEMS_PER_SHARD = 10_000;
const MAX_DESCRIBED = 20;

/**
 * Reads and checks all inputs and cuts them into shards. Sends and writes nothing. Fails with usage (2) when the input
 * cannot be sent, with local-file (14) when `out` has parts already, and as reading the input does.
 */
export async function planShared(ports: SharedPorts, options: PlanOptions): Promise<Plan> {
  const out = options.out.startsWith('s3://') ? options.out : ports.durable.absolute(options.out);
  await mustHaveNoParts(ports, out);
  const objects = await findInputs(ports, options.inputs);
  const kinds = new Set(objects.map(({ address }) => options.format ?? formatByName(address)));
  const [kind = 'jsonl', ...others] = kinds;
  if (others.length > 0)
    throw usage('the inputs have several formats', 'Give files of one format, or say it with --input-format.');
  if (options.types !== undefined && kind !== 'csv') throw usage('--types is for CSV files');
  const format: Manifest['format'] = {
    format: kind,
    ...(options.inputField === undefined ? {} : { inputField: options.inputField }),
    ...(options.idField === undefined ? {} : { idField: options.idField }),
    ...(kind === 'csv' ? { types: options.types === undefined ? {} : parseColumnTypes(options.types) } : {}),
  };
  const extras = optionsText(options.jobOptions);
  const sources = await Promise.all(objects.map((object) => openStored(ports, object, format, extras)));
  const count = createCounter();
  const shards: PlannedShard[] = [];
  for await (const { source, range } of planSources(sources, options.itemsPerShard ?? ITEMS_PER_SHARD, count.add)) {
    const { firstItem, items, invalid } = range;
    shards.push({ source, firstItem, items, invalid, range });
  }
  const bytes = objects.reduce((sum, object) => sum + object.bytes, 0);
  const input = options.inputs.join(', ');
  const summary = requireItems(count.summary(bytes), { path: input, format: kind, extras }, options.skipInvalid);
  const manifest = { input, sources: objects, format, extras, out, compression: options.compression };
  return { manifest, shards, summary };
}

/** Opens an input of a batch. */
export const openStored = (
  ports: Pick<SharedPorts, 'storage' | 'signal'>,
  object: StoredObject,
  format: Manifest['format'],
  extras: string,
): Promise<InputSource> =>
  openSource(ports, object, { ...(format as Omit<InputFormat, 'path' | 'extras'>), path: object.address, extras });

/** Two batches in one folder would overwrite each other's parts. */
async function mustHaveNoParts({ storage, signal }: SharedPorts, out: string): Promise<void> {
  for await (const { address } of storage.list(addressIn(out, 'part-'), signal))
    throw localFile(`${out} has parts of a batch already: ${address}`, 'Name another --out.');
}

/** Counts items as `summarizeItems` does. */
function createCounter() {
  const invalidItems: InvalidItem[] = [];
  let [planned, invalid, bodyBytes, largestBody] = [0, 0, 0, 0];
  let first: Item | undefined;
  return {
    add: (item: Item | InvalidItem): void => {
      if (item.kind === 'invalid') {
        invalid += 1;
        if (invalidItems.length < MAX_DESCRIBED) invalidItems.push(item);
        return;
      }
      planned += 1;
      bodyBytes += item.body.byteLength;
      largestBody = Math.max(largestBody, item.body.byteLength);
      first ??= item;
    },
    summary: (bytes: number): InputSummary => ({
      planned,
      invalid,
      invalidItems,
      fingerprint: { bytes, sha256: '', prefixes: new Uint8Array(0) },
      bodyBytes,
      largestBody,
      first,
    }),
  };
}
