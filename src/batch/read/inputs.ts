import { createHash } from 'node:crypto';
import { gunzip, isGzip } from '../bytes/split-lines.ts';
import type { InputFormat, InvalidItem, Item } from './items.ts';
import { readItems } from './read-items.ts';
import type { DurableFiles } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, localFile } from '../../core/failure.ts';
import type { Bytes } from '../../core/unit-types.ts';
import { maxInputBytes } from '../../queue/submission.ts';

export interface InputPorts {
  readonly durable: DurableFiles;
  readonly signal: AbortSignal;
}

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

type ItemGroups = AsyncGenerator<Iterable<Item | InvalidItem>>;

/** Reads and checks an input. Fails as reading does, and with usage (2) for an invalid CSV file. */
export async function checkInput(
  ports: InputPorts,
  rules: InputRules,
  input: BatchInput,
  firstItem: number,
  onItem: (item: Item | InvalidItem) => void,
): Promise<CheckedInput> {
  const opened = await openInput(ports, rules, input);
  if (opened === undefined) throw inputChanged(input);
  const digest = await opened.digest();
  let items = 0;
  for await (const group of opened.items(firstItem))
    for (const item of group) {
      items += 1;
      onItem(item);
    }
  return { ...input, bytes: opened.bytes, firstItem, items, digest };
}

/** Undefined when the file is missing, or its content is no longer what was checked. Fails as reading it does. */
export async function openUnchanged(ports: InputPorts, rules: InputRules, input: CheckedInput) {
  const opened = await openInput(ports, rules, input);
  return opened?.bytes === input.bytes && (await opened.digest()) === input.digest ? opened : undefined;
}

/**
 * The items of a checked input, in groups: iterate each group to its end before the next. Fails with local-file (14), before the
 * first item, when its content is no longer what was checked.
 */
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
async function openInput({ durable, signal }: InputPorts, { format, extras }: InputRules, input: BatchInput) {
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
  const name = nameOf(input);
  const shape = { ...format, format: input.format, path: name, maxBytes: maxInputBytes(extras) };
  return {
    bytes: found.bytes,
    digest: async (): Promise<string> => {
      const hash = createHash('sha256');
      for await (const chunk of read()) hash.update(chunk);
      return hash.digest('hex');
    },
    items: (firstItem: number): ItemGroups =>
      readItems(isGzip(input.path) ? gunzip(read(), name) : read(), shape, firstItem),
  };
}

const inputChanged = (input: BatchInput): Failure =>
  localFile(
    `the input ${nameOf(input)} was changed after it was checked`,
    'No changed item was sent. Restore the input and resume, or begin a new batch with the items that are left.',
  );

const nameOf = ({ name, path }: BatchInput): string => name ?? path;

export const nameOfInputs = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} and ${others.length} more`;
