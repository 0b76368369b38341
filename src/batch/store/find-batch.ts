import { dirname, isAbsolute, join } from 'node:path';
import { type BatchInputs, type CheckedInput, type InputPorts, nameOfInputs, openUnchanged } from '../read/inputs.ts';
import { readHeader } from './journal.ts';
import { inputCopyPath, journalPath, resolveResultsPath, storedInputPath } from './paths.ts';
import type { BatchHeader, InputIdentity } from './record.ts';
import type { DurableFiles } from '../../core/context.ts';
import { localFile, usage } from '../../core/failure.ts';

interface FoundBatch {
  readonly path: string;
  readonly header: BatchHeader;
}

/** Fails with usage (2) and local-file (14), also when its journal does not begin as one. */
export async function findBatch(durable: DurableFiles, name: string): Promise<FoundBatch> {
  const path = await resolveResultsPath(durable, name);
  const journal = journalPath(path);
  if ((await durable.size(journal)) === undefined)
    throw localFile(
      `there is no batch at ${path}: ${journal} does not exist`,
      'Name the results file that the batch was begun with (--out). If it was killed before it had begun, nothing was sent: run it again.',
    );
  return { path, header: await readHeader(durable, journal) };
}

/** Returns how the header of a journal stores checked inputs; `results` is an absolute path. */
export async function identityOf(
  durable: DurableFiles,
  results: string,
  { sources, format }: BatchInputs,
): Promise<InputIdentity> {
  const inputs: CheckedInput[] = [];
  for (const { name: _, path, ...input } of sources) {
    // A link may have another target when the batch is resumed.
    const target = durable.absolute((await durable.resolve(path)).path);
    inputs.push({ ...input, path: storedInputPath(results, target) });
  }
  const isCopied = sources.some(({ path }) => durable.absolute(path) === inputCopyPath(results));
  return { ...format, ...(isCopied ? { copied: true } : {}), inputs };
}

export const inputPaths = (results: string, { input }: Pick<BatchHeader, 'input'>): readonly string[] =>
  input.inputs.map(({ path }) => (isAbsolute(path) ? path : join(dirname(results), path)));

export const inputName = (results: string, header: BatchHeader): string => nameOfInputs(inputPaths(results, header));

/** Compared with the plan: items are identified by their position. Usage (2) for missing ones, local-file (14) for changed ones. */
export async function locateInputs(
  ports: InputPorts,
  { path: results, header }: FoundBatch,
  moved: readonly string[],
): Promise<BatchInputs> {
  const { copied: _, inputs, ...format } = header.input;
  const paths = moved.length === 0 ? inputPaths(results, header) : moved;
  if (paths.length !== inputs.length)
    throw usage(
      `--input names ${paths.length} of the ${inputs.length} inputs of this batch`,
      'Name all of them, in the order in which the batch was begun with them.',
    );
  const rules = { format, extras: header.extras };
  const sources: CheckedInput[] = [];
  for (const [position, input] of inputs.entries()) {
    const path = paths[position] ?? '';
    const found = await ports.durable.describe(path);
    if (found === undefined) throw usage(`the input ${path} is not there`, 'Say where it is now: --input FILE');
    if ((await openUnchanged(ports, rules, { ...input, path })) === undefined)
      throw localFile(
        `the input ${path} is not the one this batch was begun with (${input.bytes} bytes then, ${found.bytes} now)`,
        'Bring the old one back, or begin a new batch with another --out.',
      );
    sources.push({ ...input, path });
  }
  return { ...rules, sources };
}
