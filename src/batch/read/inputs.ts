import { createHash } from 'node:crypto';
import { gunzip, isGzip } from '../bytes/split-lines.ts';
import { isInShard, type Shard } from '../model/batch.ts';
import { type FoundInput, type InputPorts, readUntilAborted } from './find-inputs.ts';
import { describeInvalid, type InputFormat, inputName, type InvalidItem, type Item, type ItemGroups } from './items.ts';
import { readItems } from './read-items.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, localFile, usage } from '../../core/failure.ts';
import type { Bytes } from '../../core/unit-types.ts';
import { PAYLOAD_LIMITS } from '../../queue/limits.ts';
import { maxInputBytes } from '../../queue/requests.ts';

export type { InputPorts };

/** How the inputs of a batch are read, as far as they have it in common. */
export type SharedFormat = Omit<InputFormat, 'path' | 'format' | 'maxBytes'>;

interface InputRules {
  readonly format: SharedFormat;
  /** JSON text, as `optionsText` returns it. */
  readonly extras: string;
}

interface BatchInput {
  readonly path: string;
  readonly format: InputFormat['format'];
  /** In messages; default: its path. */
  readonly name?: string | undefined;
}

/** What a check found. Items are numbered through all inputs, and identified by their numbers. */
export interface CheckedInput extends BatchInput {
  readonly bytes: Bytes;
  /** From 1. */
  readonly firstItem: number;
  /** With those that cannot be sent. */
  readonly items: number;
  /** SHA-256 of the file: modification times do not tell a copy from a change. */
  readonly digest: string;
}

/** The inputs of a batch, in their order. */
export interface BatchInputs extends InputRules {
  readonly sources: readonly CheckedInput[];
}

/** Undefined when the file is missing, or its content is no longer what was checked. Fails as reading it does. */
export async function openUnchanged(ports: InputPorts, rules: InputRules, input: CheckedInput) {
  const opened = await openInput(ports, rules, input);
  return opened?.bytes === input.bytes && (await opened.digest()) === input.digest ? opened : undefined;
}

/** Fails with local-file (14), before the first item, when its content is no longer what was checked. */
export async function* inputItems(ports: InputPorts, rules: InputRules, input: CheckedInput): ItemGroups {
  const opened = await openUnchanged(ports, rules, input);
  if (opened === undefined) throw inputChanged(input);
  yield* opened.items(input.firstItem);
}

/** The items of all inputs, as `inputItems` yields them. */
export async function* allItems(ports: InputPorts, inputs: BatchInputs): ItemGroups {
  for (const input of inputs.sources) yield* inputItems(ports, inputs, input);
}

/** Reads a file as it is now: a change meanwhile fails with local-file (14). Undefined when it is missing. */
async function openInput({ durable, signal }: InputPorts, rules: InputRules, input: BatchInput) {
  const found = await durable.describe(input.path);
  if (found === undefined) return undefined;
  const requireSame = async (): Promise<void> => {
    signal.throwIfAborted();
    if ((await durable.describe(input.path))?.version !== found.version) throw inputChanged(input);
  };
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      await requireSame();
      for await (const chunk of durable.read(input.path, 0)) {
        // After the read: the chunk is of this version when the version is still the same.
        await requireSame();
        yield chunk;
      }
      await requireSame();
    } catch (error) {
      if (error instanceof Failure && error.exit === EXIT.localFile) await requireSame();
      throw error;
    }
  }
  return {
    bytes: found.bytes,
    digest: async (): Promise<string> => {
      const hash = createHash('sha256');
      for await (const chunk of read()) hash.update(chunk);
      return hash.digest('hex');
    },
    items: (firstItem: number): ItemGroups => itemsOf(read(), rules, input, firstItem),
  };
}

function itemsOf(
  chunks: AsyncIterable<Uint8Array>,
  { format, extras }: InputRules,
  input: BatchInput,
  firstItem: number,
): ItemGroups {
  const shape = { ...format, format: input.format, path: nameOf(input), maxBytes: maxInputBytes(extras) };
  return readItems(isGzip(input.path) ? gunzip(chunks, nameOf(input)) : chunks, shape, firstItem);
}

const inputChanged = (input: BatchInput): Failure =>
  localFile(
    `the input ${nameOf(input)} was changed after it was checked`,
    'No changed item was sent. Restore the input and resume, or begin a new batch with the items that are left.',
  );

const nameOf = ({ name, path }: BatchInput): string => name ?? path;

export const nameOfInputs = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} and ${others.length} more`;

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
  readonly asIs?: boolean | undefined;
}

export interface PlanOptions extends InputOptions {
  readonly skipInvalid: boolean;
  readonly shard?: Shard | undefined;
  /** As `optionsText` returns it. */
  readonly extras: string;
}

/** By the option, else by its name. */
export const formatOf = (name: string, { format }: InputOptions): InputFormat['format'] =>
  format ?? (/\.[ct]sv(?:\.gz)?$/i.test(name) ? 'csv' : 'jsonl');

export const sharedFormat = ({ inputField, idField, asIs = false }: InputOptions): SharedFormat => ({
  ...(inputField === undefined ? {} : { inputField }),
  ...(idField === undefined ? {} : { idField }),
  ...(asIs ? { asIs } : {}),
});

/**
 * Reads and checks all inputs, one after the other; items are numbered through all of them. Fails with usage (2), with the
 * places of items that cannot be sent, and as reading does.
 */
export async function planInputs(
  ports: InputPorts,
  found: readonly FoundInput[],
  options: PlanOptions,
): Promise<BatchPlan> {
  const rules = { format: sharedFormat(options), extras: options.extras };
  const inputs = found.map((each) => ({ ...each, format: formatOf(each.name, options) }));
  const tally = createInputTally(options);
  const sources: CheckedInput[] = [];
  for (const input of inputs) {
    const opened = await openInput(ports, rules, input);
    if (opened === undefined) throw inputChanged(input);
    const [digest, firstItem] = [await opened.digest(), tally.items() + 1];
    await tally.addAll(opened.items(firstItem), input.name);
    sources.push({ ...input, bytes: opened.bytes, firstItem, items: tally.items() + 1 - firstItem, digest });
  }
  const bytes = sources.reduce((sum, source) => sum + source.bytes, 0);
  return { ...rules, sources, summary: tally.summary(inputs, bytes) };
}

/** For an input that can be read only once: keeps nothing of it. Fails as `planInputs` does. */
export async function checkPiped(ports: InputPorts, path: string, options: PlanOptions): Promise<InputSummary> {
  const input = { path, format: formatOf(path, options) };
  const tally = createInputTally(options);
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of readUntilAborted(ports, path)) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  const rules = { format: sharedFormat(options), extras: options.extras };
  await tally.addAll(itemsOf(counted(), rules, input, 1), path);
  return tally.summary([input], bytes);
}

const MAX_DESCRIBED = 20;

function createInputTally({ extras, shard, skipInvalid }: PlanOptions) {
  const beside = PAYLOAD_LIMITS.run - maxInputBytes(extras);
  const invalidItems: InvalidItem[] = [];
  const counts = { planned: 0, invalid: 0, bodyBytes: 0, largestBody: 0 };
  let items = 0;
  let first: Item | undefined;
  const add = (item: Item | InvalidItem, input: string): void => {
    items += 1;
    if (!isInShard(shard, item.number)) return;
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
  };
  return {
    addAll: async (groups: ItemGroups, input: string): Promise<void> => {
      for await (const group of groups) for (const item of group) add(item, input);
    },
    items: (): number => items,
    /** `bytes` is the size of all inputs together. Fails with usage (2). */
    summary: (inputs: readonly BatchInput[], bytes: number): InputSummary => {
      const path = nameOfInputs(inputs.map(nameOf));
      const { planned, invalid } = counts;
      if (invalid > 0 && (planned === 0 || !skipInvalid)) {
        const [worst = '', ...others] = invalidItems.map((item) => describeInvalid(path, item));
        const more = invalid > invalidItems.length ? [`and ${invalid - invalidItems.length} more`] : [];
        const alone = planned === 0 ? ', and there are no others' : '';
        const hint = planned === 0 ? 'Correct them.' : 'Correct them, or leave them out with --skip-invalid.';
        throw usage(
          `${invalid === 1 ? '1 item' : `${invalid} items`} cannot be sent${alone}; nothing was sent. ${worst}`,
          [...others, ...more, hint].join('\n'),
        );
      }
      // A shard of an input with fewer items than shards is empty.
      if (planned === 0 && (shard === undefined || items === 0))
        throw usage(
          `${inputName(path)} contains no items to send`,
          inputs[0]?.format === 'csv' ? 'Below the header, each row is a job.' : 'Each line of the input is one job.',
        );
      return { ...counts, invalidItems, bytes, first };
    },
  };
}
