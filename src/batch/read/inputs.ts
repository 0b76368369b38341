import { createHash } from 'node:crypto';
import { gunzip, isGzip } from '../bytes/split-lines.ts';
import type { InputFormat, InvalidItem, Item } from './items.ts';
import { readItems } from './read-items.ts';
import type { ObjectStorage, StoredObject } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, localFile } from '../../core/failure.ts';
import { maxInputBytes } from '../../queue/submission.ts';

export interface SourcePorts {
  readonly storage: ObjectStorage;
  readonly signal: AbortSignal;
}

/** How the inputs of a batch are read, as far as they have it in common. */
export type SharedFormat = Omit<InputFormat, 'path' | 'format' | 'maxBytes'>;

interface InputRules {
  readonly format: SharedFormat;
  /** JSON text, as `optionsText` returns it. */
  readonly extras: string;
}

interface BatchInput extends StoredObject {
  readonly format: InputFormat['format'];
  /** In messages; default: its address. */
  readonly name?: string | undefined;
}

/** What a check found. Items are numbered through all inputs, and identified by their numbers. */
export interface CheckedInput extends BatchInput {
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
  ports: SourcePorts,
  rules: InputRules,
  input: BatchInput,
  firstItem: number,
  onItem: (item: Item | InvalidItem) => void,
): Promise<CheckedInput> {
  const digest = await digestOf(ports, input);
  let items = 0;
  for await (const group of readInput(ports, rules, input, firstItem))
    for (const item of group) {
      items += 1;
      onItem(item);
    }
  return { ...input, firstItem, items, digest };
}

/** Whether a file has the content that was checked. Fails as reading it does. */
export const isUnchanged = async (ports: SourcePorts, found: StoredObject, checked: CheckedInput): Promise<boolean> =>
  found.bytes === checked.bytes && (await digestOf(ports, found)) === checked.digest;

/**
 * The items of a checked input, in groups: iterate each group to its end before the next. Fails with local-file (14), before the
 * first item, when its content is no longer what was checked.
 */
export async function* inputItems(ports: SourcePorts, rules: InputRules, input: CheckedInput): ItemGroups {
  const found = await ports.storage.describe(input.address, ports.signal);
  const now = { ...input, ...found };
  if (found === undefined || !(await isUnchanged(ports, now, input))) throw inputChanged(input);
  yield* readInput(ports, rules, now, input.firstItem);
}

/** The items of all inputs, as `inputItems` yields them. */
export async function* allItems(ports: SourcePorts, inputs: BatchInputs): ItemGroups {
  for (const input of inputs.sources) yield* inputItems(ports, inputs, input);
}

function readInput(
  ports: SourcePorts,
  { format, extras }: InputRules,
  input: BatchInput,
  firstItem: number,
): ItemGroups {
  const path = nameOf(input);
  const content = contentOf(ports, input);
  const chunks = isGzip(input.address) ? gunzip(content, path) : content;
  return readItems(chunks, { ...format, format: input.format, path, maxBytes: maxInputBytes(extras) }, firstItem);
}

async function digestOf(ports: SourcePorts, input: StoredObject): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of contentOf(ports, input)) hash.update(chunk);
  return hash.digest('hex');
}

async function* contentOf({ storage, signal }: SourcePorts, input: StoredObject): AsyncGenerator<Uint8Array> {
  try {
    yield* storage.read(input, 0, input.bytes, signal);
  } catch (error) {
    const mayBeChanged = error instanceof Failure && error.exit === EXIT.localFile;
    const now = mayBeChanged ? await storage.describe(input.address, signal) : input;
    throw now?.version === input.version ? error : inputChanged(input);
  }
}

const inputChanged = (input: StoredObject): Failure =>
  localFile(
    `the input ${nameOf(input)} was changed after it was checked`,
    'No changed item was sent. Restore the input and resume, or begin a new batch with the items that are left.',
  );

const nameOf = ({ name, address }: StoredObject & Pick<BatchInput, 'name'>): string => name ?? address;

export const nameOfInputs = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} and ${others.length} more`;
