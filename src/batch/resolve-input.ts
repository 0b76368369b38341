import { usage } from '../core/failure.ts';
import { optionsText, type JobOptions } from '../queue/submission.ts';
import type { BatchPorts } from './ports.ts';
import { compressionOf } from './bytes/compression.ts';
import { requireItems, type InputSummary } from './plan/check-input.ts';
import { checkInputFile, verifiedItems } from './plan/input-file.ts';
import { inputFormat, inputFormats, type InputOptions } from './plan/input-format.ts';
import type { InputFormat } from './read/item.ts';
import { isPiped } from './plan/read-once.ts';
import { findInputs, isPattern } from './plan/find-inputs.ts';
import { checkWholeInputs, wholeInputItems } from './plan/whole-inputs.ts';
import type { VerifiedInput } from './run-to-end.ts';
import { inputCopyPath, storedInputPath } from './stores/file/file-names.ts';
import type { BatchHeader, InputIdentity } from './stores/file/journal/record.ts';
import { resolveResultsPath } from './stores/file/results-path.ts';

/** Files of a new batch and how its inputs are read. */
export interface BatchFiles extends InputOptions {
  /** Files, `s3://` addresses and globs; or `-` alone, which is stdin. */
  readonly inputs: readonly string[];
  /** Path of the results file. */
  readonly results: string;
  /** True to leave out items that cannot be sent. */
  readonly skipInvalid: boolean;
  /** Options of every job. */
  readonly jobOptions: JobOptions;
}

/** The input of a new batch, before it is read. */
export interface ResolvedInput {
  /** The resolved path of the results. */
  readonly results: string;
  /** How the first input is read. */
  readonly format: InputFormat;
  /** True when the input is copied, because stdin and pipes can be read only once. */
  readonly isCopied: boolean;
  /**
   * Reads the input once and checks that all of it can be sent; `copy` is the path of a copy. Fails with usage (2), with
   * the places of invalid items, and as reading does.
   */
  check(skipInvalid: boolean, copy?: string): Promise<CheckedInput>;
}

export interface CheckedInput {
  readonly summary: InputSummary;
  /** What the journal stores of it. */
  readonly stored: Pick<InputIdentity, 'path' | 'inputs' | 'types'>;
  readonly verified: (header: BatchHeader) => VerifiedInput;
}

/** Resolves the paths of a new batch. Fails with usage (2) or local-file (14), before the lock is acquired. */
export async function resolveInput(ports: BatchPorts, files: BatchFiles): Promise<ResolvedInput> {
  const results = await resolveResultsPath(ports.durable, files.results);
  const [input = '', ...others] = files.inputs;
  if (input === '') throw usage('--input is not the name of a file', 'Name a file, or - for stdin.');
  const kind = isObject(input) ? 'nothing' : (await ports.durable.resolve(input)).kind;
  const isPlain =
    others.length === 0 && !isObject(input) && (kind === 'file' ? !isCompressed(input) : !isPattern(input));
  return isPlain || (others.length === 0 && (input === '-' || kind === 'other'))
    ? await resolveFile(ports, files, input, results)
    : resolveSeveral(ports, files, results);
}

const isObject = (address: string): boolean => address.startsWith('s3://');
const isCompressed = (name: string): boolean => compressionOf(name) !== undefined;

/** One file that is not compressed, or a pipe. Its content is verified block by block. */
async function resolveFile(
  { durable, signal }: BatchPorts,
  files: BatchFiles,
  input: string,
  results: string,
): Promise<ResolvedInput> {
  const given = await durable.resolve(input);
  const isCopied = await isPiped(durable, input);
  const format = inputFormat(input, files, optionsText(files.jobOptions));
  const finalPath = isCopied ? inputCopyPath(results) : input;
  // The resolved path: a link such as /dev/stdin may have another target when the batch is resumed.
  const storedPath = storedInputPath(durable.absolute(results), durable.absolute(isCopied ? finalPath : given.path));
  return {
    results,
    format,
    isCopied,
    check: async (skipInvalid, copy = input) => {
      const summary = await checkInputFile(durable, copy, format, skipInvalid, signal);
      return {
        summary,
        stored: { path: storedPath },
        verified: (header) => ({
          path: finalPath,
          items: verifiedItems(durable, finalPath, summary.fingerprint, { ...header.input, extras: header.extras }),
        }),
      };
    },
  };
}

/** Several inputs, objects and compressed files. */
function resolveSeveral(ports: BatchPorts, files: BatchFiles, results: string): ResolvedInput {
  const { durable } = ports;
  const extras = optionsText(files.jobOptions);
  const [first = ''] = files.inputs;
  // The first one may be a glob, whose name does not tell which files are CSV.
  const format = inputFormat(first, { ...files, types: undefined }, extras);
  return {
    results,
    format,
    isCopied: false,
    check: async (skipInvalid) => {
      const objects = await findInputs(ports, files.inputs);
      const formats = inputFormats(
        objects.map(({ address }) => address),
        files,
        extras,
      );
      const checked = await checkWholeInputs(ports, objects, formats);
      const summary = requireItems(
        checked.summary,
        { path: nameOfInputs(objects.map(({ address }) => address)), format: format.format },
        skipInvalid,
      );
      const inputs = checked.inputs.map((each) => ({
        ...each,
        object: { ...each.object, address: storedAddress(durable.absolute(results), each.object.address) },
      }));
      // Always stored: without types, the header of a CSV file would be read as in an earlier version.
      const { types = {} } = formats.find(isCsv) ?? {};
      return {
        summary,
        stored: { path: inputs[0]?.object.address ?? first, types, inputs },
        verified: (header) => ({
          path: nameOfInputs(objects.map(({ address }) => address)),
          items: wholeInputItems(ports, checked.inputs, { ...header.input, extras: header.extras }),
        }),
      };
    },
  };
}

const isCsv = ({ format }: InputFormat): boolean => format === 'csv';

const storedAddress = (results: string, address: string): string =>
  isObject(address) ? address : storedInputPath(results, address);

/** Returns the name of inputs for messages. */
const nameOfInputs = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} and ${String(others.length)} more`;
