import { dirname, isAbsolute, join } from 'node:path';
import type { DurableFiles } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { type BatchInputs, type CheckedInput, isUnchanged, nameOfInputs, type SourcePorts } from '../read/inputs.ts';
import { inputCopyPath, storedInputPath, temporaryCopyPath } from './file-names.ts';
import type { BatchHeader, InputIdentity } from './record.ts';

/** Returns how the header of a journal stores checked inputs; `results` is an absolute path. */
export async function identityOf(
  durable: DurableFiles,
  results: string,
  { sources, format }: BatchInputs,
): Promise<InputIdentity> {
  const inputs: CheckedInput[] = [];
  for (const { name: _, ...input } of sources)
    inputs.push({ ...input, address: await storedAddress(durable, results, input.address) });
  const copied = sources.some(({ address }) => isCopy(durable, results, address));
  return { ...format, ...(copied ? { copied } : {}), inputs };
}

const isCopy = (durable: DurableFiles, results: string, address: string): boolean =>
  durable.absolute(address) === temporaryCopyPath(results);

/** A copy has its final name when the journal exists. A link may have another target when the batch is resumed. */
async function storedAddress(durable: DurableFiles, results: string, address: string): Promise<string> {
  if (isObject(address)) return address;
  const path = isCopy(durable, results, address) ? inputCopyPath(results) : (await durable.resolve(address)).path;
  return storedInputPath(results, durable.absolute(path));
}

/** An object may have the same version at any time; a file may not. */
const isObject = (address: string): boolean => address.startsWith('s3://');

const addressOf = (results: string, address: string): string =>
  isObject(address) || isAbsolute(address) ? address : join(dirname(results), address);

/** The most likely one first. */
export const inputCandidates = (
  results: string,
  { input }: Pick<BatchHeader, 'input'>,
): readonly (readonly string[])[] =>
  input.inputs.map((input) => {
    const address = addressOf(results, input.address);
    // The process ended before it renamed the copy.
    return address === inputCopyPath(results) ? [address, temporaryCopyPath(results)] : [address];
  });

export async function inputName(durable: DurableFiles, results: string, header: BatchHeader): Promise<string> {
  const [candidates = [], ...others] = inputCandidates(results, header);
  if (others.length === 0) for (const path of candidates) if ((await durable.size(path)) !== undefined) return path;
  return nameOfInputs([candidates[0] ?? '', ...others.map(([first = '']) => first)]);
}

/** Compared with the plan: items are identified by their position. Fails with usage (2). */
export async function locateInputs(
  ports: SourcePorts,
  results: string,
  header: BatchHeader,
  moved: readonly string[] = [],
): Promise<BatchInputs> {
  const { copied: _, inputs, ...format } = header.input;
  const places = moved.length === 0 ? inputCandidates(results, header) : moved.map((address) => [address]);
  if (places.length !== inputs.length)
    throw usage(
      `--input names ${places.length} of the ${inputs.length} inputs of this batch`,
      'Name all of them, in the order in which the batch was begun with them.',
    );
  const sources: CheckedInput[] = [];
  for (const [position, input] of inputs.entries()) sources.push(await locate(ports, input, places[position] ?? []));
  return { format, extras: header.extras, sources };
}

async function locate(ports: SourcePorts, input: CheckedInput, places: readonly string[]): Promise<CheckedInput> {
  let wrong: Error | undefined;
  for (const address of places) {
    const found = await ports.storage.describe(address, ports.signal);
    if (found === undefined) continue;
    if (await isUnchanged(ports, found, input)) return { ...input, ...found };
    wrong ??= usage(
      `the input ${address} is not the one this batch was begun with (${input.bytes} bytes then, ${found.bytes} now)`,
      'Bring the old one back, or begin a new batch.',
    );
  }
  throw wrong ?? usage(`the input ${places[0] ?? ''} is not there`, 'Say where it is now: --input FILE');
}
