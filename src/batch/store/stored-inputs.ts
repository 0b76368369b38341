import { dirname, isAbsolute, join } from 'node:path';
import type { DurableFiles } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { type BatchInputs, type CheckedInput, type InputPorts, nameOfInputs, openUnchanged } from '../read/inputs.ts';
import { inputCopyPath, storedInputPath, temporaryCopyPath } from './file-names.ts';
import type { BatchHeader, InputIdentity } from './record.ts';

/** Returns how the header of a journal stores checked inputs; `results` is an absolute path. */
export async function identityOf(
  durable: DurableFiles,
  results: string,
  { sources, format }: BatchInputs,
): Promise<InputIdentity> {
  const inputs: CheckedInput[] = [];
  let isCopied = false;
  for (const { name: _, path, ...input } of sources) {
    const isCopy = durable.absolute(path) === temporaryCopyPath(results);
    isCopied ||= isCopy;
    // A copy has its final name when the journal exists. A link may have another target when the batch is resumed.
    const stored = isCopy ? inputCopyPath(results) : (await durable.resolve(path)).path;
    inputs.push({ ...input, path: storedInputPath(results, durable.absolute(stored)) });
  }
  return { ...format, ...(isCopied ? { copied: true } : {}), inputs };
}

/** The most likely one first. */
export const inputCandidates = (
  results: string,
  { input }: Pick<BatchHeader, 'input'>,
): readonly (readonly string[])[] =>
  input.inputs.map(({ path: stored }) => {
    const path = isAbsolute(stored) ? stored : join(dirname(results), stored);
    // The process ended before it renamed the copy.
    return path === inputCopyPath(results) ? [path, temporaryCopyPath(results)] : [path];
  });

export async function inputName(durable: DurableFiles, results: string, header: BatchHeader): Promise<string> {
  const [candidates = [], ...others] = inputCandidates(results, header);
  if (others.length === 0) for (const path of candidates) if ((await durable.size(path)) !== undefined) return path;
  return nameOfInputs([candidates[0] ?? '', ...others.map(([first = '']) => first)]);
}

/** Compared with the plan: items are identified by their position. Fails with usage (2). */
export async function locateInputs(
  ports: InputPorts,
  results: string,
  header: BatchHeader,
  moved: readonly string[],
): Promise<BatchInputs> {
  const { copied: _, inputs, ...format } = header.input;
  const places = moved.length === 0 ? inputCandidates(results, header) : moved.map((path) => [path]);
  if (places.length !== inputs.length)
    throw usage(
      `--input names ${places.length} of the ${inputs.length} inputs of this batch`,
      'Name all of them, in the order in which the batch was begun with them.',
    );
  const rules = { format, extras: header.extras };
  const sources: CheckedInput[] = [];
  for (const [position, input] of inputs.entries())
    sources.push(await locate(ports, rules, input, places[position] ?? []));
  return { ...rules, sources };
}

async function locate(
  ports: InputPorts,
  rules: Pick<BatchInputs, 'format' | 'extras'>,
  input: CheckedInput,
  places: readonly string[],
): Promise<CheckedInput> {
  let wrong: Error | undefined;
  for (const path of places) {
    const found = await ports.durable.describe(path);
    if (found === undefined) continue;
    const moved = { ...input, path };
    if ((await openUnchanged(ports, rules, moved)) !== undefined) return moved;
    wrong ??= usage(
      `the input ${path} is not the one this batch was begun with (${input.bytes} bytes then, ${found.bytes} now)`,
      'Bring the old one back, or begin a new batch.',
    );
  }
  throw wrong ?? usage(`the input ${places[0] ?? ''} is not there`, 'Say where it is now: --input FILE');
}
