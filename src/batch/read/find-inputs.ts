import type { SourcePorts } from './inputs.ts';
import type { DurableFiles, StoredObject } from '../../core/context.ts';
import { type Failure, localFile, usage } from '../../core/failure.ts';

export interface FindPorts extends SourcePorts {
  readonly durable: DurableFiles;
}

/** With its name in messages: as it was given where it was named by itself. */
export interface FoundInput extends StoredObject {
  readonly name: string;
}

/** In the order given. Fails with usage (2) without a match or for duplicates, else as `missing` says. */
export async function findInputs(
  ports: FindPorts,
  patterns: readonly string[],
  missing: (pattern: string) => Error = doesNotExist,
): Promise<readonly FoundInput[]> {
  const found: FoundInput[] = [];
  for (const pattern of patterns) found.push(...(await findPattern(ports, pattern, missing)));
  const addresses = new Set<string>();
  for (const { address } of found) {
    if (addresses.has(address)) throw usage(`--input names ${address} twice`, 'Its items would be sent twice.');
    addresses.add(address);
  }
  return found;
}

/** In the order given. Fails with usage (2) when one is missing. */
export async function findMoved(ports: FindPorts, given: readonly string[]): Promise<readonly string[]> {
  const found = await findInputs(ports, given, (name) =>
    usage(`the input ${name} is not there`, 'Say where it is now: --input FILE'),
  );
  return found.map(({ name }) => name);
}

async function findPattern(
  { storage, durable, signal }: FindPorts,
  pattern: string,
  missing: (pattern: string) => Error,
): Promise<readonly FoundInput[]> {
  if (pattern === '-') throw usage('stdin cannot be combined with other inputs', 'Leave out - or the other inputs.');
  if (pattern === '')
    throw usage('--input is not the name of a file', 'Name a file, an s3:// address, or a glob in quotes.');
  const isFolder = pattern.endsWith('/');
  const address = pattern.startsWith('s3://') ? pattern : durable.absolute(pattern) + (isFolder ? '/' : '');
  const object = isFolder ? undefined : await storage.describe(address, signal);
  if (object !== undefined) return [{ ...object, name: pattern }];
  if (!isPattern(pattern)) {
    const isFolderHere = !address.startsWith('s3://') && (await durable.resolve(pattern)).kind === 'directory';
    throw isFolderHere
      ? localFile(`cannot read ${pattern}: it is a folder`, `For all files in it: --input ${pattern}/`)
      : missing(pattern);
  }
  const objects: FoundInput[] = [];
  for await (const each of storage.list(address, signal)) objects.push({ ...each, name: each.address });
  if (objects.length === 0) throw usage(`--input ${pattern} matches nothing`, 'Quote a glob for the shell.');
  return objects;
}

const doesNotExist = (pattern: string): Failure =>
  localFile(`cannot read ${pattern}: it does not exist`, 'Check its name.');

/** A glob, or a folder that ends with a slash. */
const isPattern = (text: string): boolean => /[*?[{]|\/$/.test(text);

/** Stdin, a pipe or a device: it must be copied. */
export async function readOnceInput(
  { resolve }: Pick<DurableFiles, 'resolve'>,
  [input = '', ...others]: readonly string[],
): Promise<string | undefined> {
  if (others.length > 0 || input === '' || input.startsWith('s3://')) return undefined;
  return input === '-' || (await resolve(input)).kind === 'other' ? input : undefined;
}

/** Reading a large input can take long. Fails with the signal's reason, and as reading does. */
export async function* readUntilAborted(
  durable: DurableFiles,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of durable.read(path)) {
    if (signal.aborted) throw signal.reason;
    yield chunk;
  }
}
