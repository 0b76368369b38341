import { localFile } from '../../core/failure.ts';
import { optionsText, type JobOptions } from '../../queue/submission.ts';
import { createInputTally, requireItems, type InputSummary } from '../plan/check-input.ts';
import { checkInputFile } from '../plan/input-file.ts';
import { formatByName, inputFormat, inputFormats, type InputOptions } from '../plan/input-format.ts';
import type { InputFormat, InvalidItem, Item } from '../read/item.ts';
import { isPiped, parquetFromPipe } from '../plan/read-once.ts';
import { findInputs } from '../plan/find-inputs.ts';
import type { InputSource } from '../read/sources/input-source.ts';
import { planSources } from '../read/sources/open-source.ts';
import { requireFreeName } from '../stores/postgres/rows/batch-rows.ts';
import { tablesVersion } from '../stores/postgres/migrations.ts';
import { requireFreeOut } from '../stores/postgres/rows/out-rows.ts';
import type { Manifest, ManifestFormat, ManifestSource, PlannedShard } from '../stores/postgres/rows/batch-rows.ts';
import { addressIn } from '../stores/postgres/driver/part-files.ts';
import { copyPipedInput } from './copy-piped-input.ts';
import { openStoredInput } from './open-stored-input.ts';
import { requireNoMarker } from './out-marker.ts';
import type { SharedPorts } from './ports.ts';

/** A new batch as the user describes it. */
export interface PlanOptions extends InputOptions {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly out: string;
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
  /** The address to which the input was copied, because it can be read only once. */
  readonly copy: string | undefined;
  /** Removes the copy: the batch is not begun. */
  readonly discard: () => Promise<void>;
}

/** A thousand shards are ten million items: few enough rows, and each takes a driver a few seconds at least. */
const ITEMS_PER_SHARD = 10_000;

/**
 * Reads and checks all inputs and cuts them into shards. Sends nothing, and writes nothing but the copy of an input that
 * can be read only once. Fails with usage (2) when the input cannot be sent or the name is in use, with local-file (14)
 * when `out` has parts already or is the folder of another batch, and as reading and copying the input do.
 */
export async function planShared(ports: SharedPorts, options: PlanOptions): Promise<Plan> {
  const out = await requireNewBatch(ports, options);
  const piped = await pipedInput(ports, options);
  if (piped === undefined) return await planInputs(ports, options, out, undefined);
  const format = options.format ?? formatByName(piped);
  const copy = await copyPipedInput(ports, { input: piped, out, name: options.name, format });
  try {
    return await planInputs(ports, { ...options, inputs: [copy], format }, out, copy);
  } catch (error) {
    await ports.storage.remove(copy).catch(() => undefined);
    throw error;
  }
}

/** Checks a new batch as `planShared` does, and writes nothing. Fails with usage (2) also for a piped Parquet file. */
export async function checkShared(ports: SharedPorts, options: PlanOptions): Promise<InputSummary> {
  const out = await requireNewBatch(ports, options);
  const piped = await pipedInput(ports, options);
  if (piped === undefined) return (await planInputs(ports, options, out, undefined)).summary;
  const format = inputFormat(piped, options, optionsText(options.jobOptions));
  if (format.format === 'parquet') throw parquetFromPipe();
  return await checkInputFile(ports.durable, piped, format, options.skipInvalid, ports.signal);
}

async function requireNewBatch(ports: SharedPorts, { name, out: given }: PlanOptions): Promise<string> {
  const out = isObject(given) ? given : ports.durable.absolute(given);
  // A check without tables: a dry run creates none.
  if ((await tablesVersion(ports.database)) > 0) {
    await requireFreeName(ports.database, name);
    await requireFreeOut(ports.database, out);
  }
  await requireNoMarker(ports, out);
  await mustHaveNoParts(ports, out);
  return out;
}

const isObject = (address: string): boolean => address.startsWith('s3://');

/** The only input, when it can be read only once. */
async function pipedInput({ durable }: SharedPorts, { inputs }: PlanOptions): Promise<string | undefined> {
  const [input = '', ...others] = inputs;
  if (others.length > 0 || input === '' || isObject(input)) return undefined;
  return (await isPiped(durable, input)) ? input : undefined;
}

async function planInputs(
  ports: SharedPorts,
  options: PlanOptions,
  out: string,
  copy: string | undefined,
): Promise<Plan> {
  const objects = await findInputs(ports, options.inputs);
  const extras = optionsText(options.jobOptions);
  const formats = inputFormats(
    objects.map(({ address }) => address),
    options,
    extras,
  );
  const sources = objects.map((object, position) => ({ ...object, ...formatOf(formats[position]) }));
  const manifest = {
    input: (copy === undefined ? options.inputs : [copy]).join(', '),
    sources,
    format: sharedFormat(formats),
    extras,
    out,
    compression: options.compression,
  };
  const opened = await Promise.all(sources.map((_, position) => openStoredInput(ports, manifest, position, extras)));
  const tally = createInputTally();
  const count = (item: Item | InvalidItem, { object }: InputSource): void => {
    tally.add(item, object.address);
  };
  const shards: PlannedShard[] = [];
  for await (const { source, range } of planSources(opened, options.itemsPerShard ?? ITEMS_PER_SHARD, count)) {
    const { firstItem, items, invalid } = range;
    shards.push({ source, firstItem, items, invalid, range });
  }
  const bytes = objects.reduce((sum, object) => sum + object.bytes, 0);
  const summary = requireItems(
    tally.summary({ bytes, sha256: '', prefixes: new Uint8Array(0) }),
    { path: manifest.input, format: manifest.format.format },
    options.skipInvalid,
  );
  const discard = async (): Promise<void> => {
    if (copy !== undefined) await ports.storage.remove(copy);
  };
  return { manifest, shards, summary, copy, discard };
}

const formatOf = (format: InputFormat | undefined): Pick<ManifestSource, 'format'> =>
  format === undefined ? {} : { format: format.format };

/** What all inputs have in common: the options of each, and the types of those that are CSV. */
function sharedFormat(formats: readonly InputFormat[]): ManifestFormat {
  const [{ format, inputField, idField } = { format: 'jsonl' } as const] = formats;
  const { types, exported } = formats.find((each) => each.format === 'csv') ?? {};
  return {
    format,
    ...(inputField === undefined ? {} : { inputField }),
    ...(idField === undefined ? {} : { idField }),
    ...(types === undefined ? {} : { types }),
    ...(exported === undefined ? {} : { exported }),
  };
}

/** Parts of a batch that was begun by a version without markers. */
async function mustHaveNoParts({ storage, signal }: SharedPorts, out: string): Promise<void> {
  for await (const { address } of storage.list(addressIn(out, 'part-'), signal))
    throw localFile(`${out} has parts of a batch already: ${address}`, 'Name another --out.');
}
