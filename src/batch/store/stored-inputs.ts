import { dirname, isAbsolute, join } from 'node:path';
import type { DurableFiles } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { type BatchInput, type BatchInputs, nameOfInputs, openInputs } from '../read/inputs.ts';
import type { SourcePorts } from '../read/input-source.ts';
import type { PlannedRange } from '../read/range.ts';
import { hasExactVersion } from '../read/unchanged-content.ts';
import type { BatchPlan } from '../read/batch-plan.ts';
import { inputCopyPath, storedInputPath, temporaryCopyPath } from './file-names.ts';
import type { BatchHeader, InputIdentity, StoredInput } from './record.ts';

/** The inputs of a batch where its header says that they are, and the ranges that were planned of them. */
export interface StoredInputs extends BatchInputs {
  readonly ranges: readonly PlannedRange[];
}

/** Returns how the header of a journal stores the inputs of a plan; `results` is an absolute path. */
export async function identityOf(
  durable: DurableFiles,
  results: string,
  { sources, format, ranges }: BatchPlan,
): Promise<InputIdentity> {
  const inputs: StoredInput[] = [];
  for (const [position, { name: _, format: own = format.format, ...object }] of sources.entries()) {
    const range = ranges.find(({ source }) => source === position)?.range;
    const address = await storedAddress(durable, results, object.address);
    inputs.push({ object: { ...object, address }, format: own, ...(range === undefined ? {} : { range }) });
  }
  const copied = sources.some(({ address }) => isCopy(durable, results, address));
  return { ...format, ...(copied ? { copied } : {}), inputs };
}

const isCopy = (durable: DurableFiles, results: string, address: string): boolean =>
  durable.absolute(address) === temporaryCopyPath(results);

/** A copy has its final name when the journal exists. A link may have another target when the batch is resumed. */
async function storedAddress(durable: DurableFiles, results: string, address: string): Promise<string> {
  if (hasExactVersion(address)) return address;
  const path = isCopy(durable, results, address) ? inputCopyPath(results) : (await durable.resolve(address)).path;
  return storedInputPath(results, durable.absolute(path));
}

function storedInputs(results: string, { input, extras }: BatchHeader): StoredInputs {
  const { copied: _, inputs, ...format } = input;
  return {
    format,
    extras,
    sources: inputs.map(({ object, format: own }) => ({
      ...object,
      address: addressOf(results, object.address),
      format: own,
    })),
    ranges: inputs.flatMap(({ range }, source) => (range === undefined ? [] : [{ source, range }])),
  };
}

const addressOf = (results: string, address: string): string =>
  hasExactVersion(address) || isAbsolute(address) ? address : join(dirname(results), address);

/** Returns the addresses at which each input may be, the most likely one first. */
export const inputCandidates = (
  results: string,
  { input }: Pick<BatchHeader, 'input'>,
): readonly (readonly string[])[] =>
  input.inputs.map(({ object }) => {
    const address = addressOf(results, object.address);
    // The process ended before it renamed the copy.
    return address === inputCopyPath(results) ? [address, temporaryCopyPath(results)] : [address];
  });

/** Returns what the inputs are called: where the only one is, or where it should be. */
export async function inputName(durable: DurableFiles, results: string, header: BatchHeader): Promise<string> {
  const [candidates = [], ...others] = inputCandidates(results, header);
  if (others.length === 0) for (const path of candidates) if ((await durable.size(path)) !== undefined) return path;
  return nameOfInputs([candidates[0] ?? '', ...others.map(([first = '']) => first)]);
}

/**
 * Finds the inputs of a batch and compares them with what was planned: items are identified by their position, so another
 * input would send other items. `moved` is where they are now, when they were moved. Fails with usage (2).
 */
export async function locateInputs(
  ports: SourcePorts,
  results: string,
  header: BatchHeader,
  moved: readonly string[] = [],
): Promise<StoredInputs> {
  const stored = storedInputs(results, header);
  const places = moved.length === 0 ? inputCandidates(results, header) : moved.map((address) => [address]);
  if (places.length !== stored.sources.length)
    throw usage(
      `--input names ${places.length} of the ${stored.sources.length} inputs of this batch`,
      'Name all of them, in the order in which the batch was begun with them.',
    );
  const sources: BatchInput[] = [];
  for (const [position, source] of stored.sources.entries())
    sources.push(await locate(ports, stored, position, source, places[position] ?? []));
  return { ...stored, sources };
}

async function locate(
  ports: SourcePorts,
  stored: StoredInputs,
  position: number,
  source: BatchInput,
  places: readonly string[],
): Promise<BatchInput> {
  let wrong: Error | undefined;
  const range = stored.ranges.find((each) => each.source === position)?.range;
  for (const address of places) {
    const found = await ports.storage.describe(address, ports.signal);
    if (found === undefined) continue;
    const version = hasExactVersion(address) ? source.version : found.version;
    const located = { ...source, address, version };
    const isSame = found.bytes === source.bytes && found.version === version;
    const input = await openInputs(ports, { ...stored, sources: [located] }).at(0);
    if (isSame && (range === undefined || (await input.matches(range)))) return located;
    wrong ??= usage(
      `the input ${address} is not the one this batch was begun with (${source.bytes} bytes then, ${found.bytes} now)`,
      'Bring the old one back, or begin a new batch.',
    );
  }
  throw wrong ?? usage(`the input ${places[0] ?? ''} is not there`, 'Say where it is now: --input FILE');
}
