import { usage } from '../../core/failure.ts';
import type { Bytes } from '../../core/unit-types.ts';
import { PAYLOAD_LIMITS } from '../../queue/limits.ts';
import { maxInputBytes } from '../../queue/submission.ts';
import { parseColumnTypes } from './csv.ts';
import { isInShard, type Shard } from '../model/shard.ts';
import { describeInvalid, type InputFormat, inputName, type InvalidItem, type Item } from './items.ts';
import { readItems } from './read-items.ts';
import {
  type BatchInputs,
  type CheckedInput,
  checkInput,
  nameOfInputs,
  type InputPorts,
  type SharedFormat,
} from './inputs.ts';
import { type FoundInput, readUntilAborted } from './find-inputs.ts';

/** The checked inputs of a new batch. */
interface BatchPlan extends BatchInputs {
  readonly summary: InputSummary;
}

export interface InputSummary {
  readonly planned: number;
  readonly invalid: number;
  readonly invalidItems: readonly InvalidItem[];
  readonly bytes: Bytes;
  /** Size of all bodies together, and of the largest. */
  readonly bodyBytes: Bytes;
  readonly largestBody: Bytes;
  readonly first: Item | undefined;
}

export interface InputOptions {
  /** By default, the name of each input decides. */
  readonly format?: InputFormat['format'] | undefined;
  readonly inputField?: string | undefined;
  readonly idField?: string | undefined;
  /** The types of CSV columns, as `price:number,active:boolean`. */
  readonly types?: string | undefined;
  readonly asIs?: boolean | undefined;
}

export const formatOf = (name: string, { format }: InputOptions): InputFormat['format'] => format ?? formatByName(name);

/** Fails with usage (2) for options that exclude each other. */
export function sharedFormat(names: readonly string[], options: InputOptions): SharedFormat {
  const { types, inputField, idField } = options;
  const formats = names.map((name) => formatOf(name, options));
  const hasCsv = formats.includes('csv');
  if (types !== undefined && (!hasCsv || inputField !== undefined))
    throw usage(
      hasCsv ? '--types and --input-field exclude each other' : '--types is for a CSV file',
      hasCsv ? 'The column of --input-field holds JSON.' : 'In other files, each value has its type.',
    );
  return {
    ...(hasCsv ? { types: types === undefined ? {} : parseColumnTypes(types) } : {}),
    ...(inputField === undefined ? {} : { inputField }),
    ...(idField === undefined ? {} : { idField }),
    ...(options.asIs === true ? { asIs: true } : {}),
  };
}

function formatByName(name: string): InputFormat['format'] {
  if (/\.(?:parquet|zst)$/i.test(name))
    throw usage(
      `cannot read ${name}: use JSON lines or CSV, also as .gz`,
      'Convert it first, or pipe it in: --input -',
    );
  return /\.[ct]sv(?:\.gz)?$/i.test(name) ? 'csv' : 'jsonl';
}

export interface PlanOptions extends InputOptions {
  readonly skipInvalid: boolean;
  readonly shard?: Shard | undefined;
  /** As `optionsText` returns it. */
  readonly extras: string;
}

/**
 * Reads and checks all inputs, one after the other; items are numbered through all of them. Fails with usage (2), with the
 * places of items that cannot be sent, and as reading does.
 */
export async function planInputs(
  ports: InputPorts,
  found: readonly FoundInput[],
  options: PlanOptions,
): Promise<BatchPlan> {
  const { extras, shard } = options;
  const names = found.map(({ name }) => name);
  const rules = { format: sharedFormat(names, options), extras };
  const inputs = found.map((object) => ({ ...object, format: formatOf(object.name, options) }));
  const tally = createInputTally(extras);
  const sources: CheckedInput[] = [];
  let firstItem = 1;
  for (const input of inputs) {
    const checked = await checkInput(ports, rules, input, firstItem, (item) => {
      if (isInShard(shard, item.number)) tally.add(item, input.name);
    });
    firstItem += checked.items;
    sources.push(checked);
  }
  const bytes = sources.reduce((sum, source) => sum + source.bytes, 0);
  const summary = requireItems(tally.summary(bytes), names, inputs[0]?.format ?? 'jsonl', options, firstItem - 1);
  return { ...rules, sources, summary };
}

/** For an input that can be read only once: keeps nothing of it. Fails as `planInputs` does. */
export async function checkPiped(ports: InputPorts, input: string, options: PlanOptions): Promise<InputSummary> {
  const format = formatOf(input, options);
  const shared = sharedFormat([input], options);
  const tally = createInputTally(options.extras);
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of readUntilAborted(ports, input)) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  const groups = readItems(counted(), { ...shared, format, path: input, maxBytes: tally.maxBytes });
  let count = 0;
  for await (const items of groups)
    for (const item of items) {
      count += 1;
      if (isInShard(options.shard, item.number)) tally.add(item, input);
    }
  return requireItems(tally.summary(bytes), [input], format, options, count);
}

const MAX_DESCRIBED = 20;

/** `extras` is the text of the members that every submission has beside its input. */
export function createInputTally(extras: string) {
  const maxBytes = maxInputBytes(extras);
  const beside = PAYLOAD_LIMITS.run - maxBytes;
  const invalidItems: InvalidItem[] = [];
  const counts = { planned: 0, invalid: 0, bodyBytes: 0, largestBody: 0 };
  let first: Item | undefined;
  return {
    maxBytes,
    add: (item: Item | InvalidItem, input: string): void => {
      if (item.kind === 'invalid') {
        counts.invalid += 1;
        if (invalidItems.length < MAX_DESCRIBED) invalidItems.push({ ...item, input });
        return;
      }
      counts.planned += 1;
      const body = beside + item.input.byteLength;
      counts.bodyBytes += body;
      counts.largestBody = Math.max(counts.largestBody, body);
      first ??= item;
    },
    /** `bytes` is the size of all inputs together. */
    summary: (bytes: number): InputSummary => ({ ...counts, invalidItems, bytes, first }),
  };
}

function requireItems(
  summary: InputSummary,
  names: readonly string[],
  format: InputFormat['format'],
  { skipInvalid, shard }: PlanOptions,
  items: number,
): InputSummary {
  const path = nameOfInputs(names);
  const { planned, invalid, invalidItems } = summary;
  if (invalid > 0 && (planned === 0 || !skipInvalid)) {
    const [first = '', ...others] = invalidItems.map((item) => describeInvalid(path, item));
    const more = invalid - invalidItems.length;
    throw usage(
      `${invalid === 1 ? '1 item' : `${invalid} items`} cannot be sent${planned === 0 ? ', and there are no others' : ''}; nothing was sent. ${first}`,
      [
        ...others,
        ...(more > 0 ? [`and ${more} more`] : []),
        planned === 0 ? 'Correct them.' : 'Correct them, or leave them out with --skip-invalid.',
      ].join('\n'),
    );
  }
  // A shard of an input with fewer items than shards.
  const isEmptyShard = shard !== undefined && items > 0;
  if (planned === 0 && !isEmptyShard) throw usage(`${inputName(path)} contains no items to send`, NO_ITEMS[format]);
  return summary;
}

const NO_ITEMS: Readonly<Record<InputFormat['format'], string>> = {
  csv: 'Below the header, each row is a job.',
  jsonl: 'Each line of the input is one job.',
};
