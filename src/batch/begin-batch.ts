import type { ResolvedPath } from '../core/context.ts';
import { usage } from '../core/failure.ts';
import { optionsText, type JobOptions } from '../queue/submission.ts';
import type { InputSummary } from './input/check-input.ts';
import { parseColumnTypes } from './input/csv-types.ts';
import { checkInputFile } from './input/input-file.ts';
import type { InputFormat } from './input/item.ts';
import { readUntilAborted } from './input/read-until-aborted.ts';
import type { BatchLimits, BatchPorts, BatchView } from './caller-interface.ts';
import type { BatchReport } from './report/report-types.ts';
import { runToEnd } from './run-to-end.ts';
import { inputCopyPath, storedInputPath, temporaryCopyPath } from './store/file-names.ts';
import type { BatchHeader } from './store/journal/record.ts';
import { createBatch } from './store/open-batch.ts';
import { mustBeNew, resolveResultsPath } from './store/results-path.ts';
import { writeSyncedFile } from './store/write-file.ts';

/** Files of a new batch and how its input is read. */
export interface BatchFiles {
  /** Path of the input; `-` is stdin. */
  readonly input: string;
  /** Path of the results file. */
  readonly results: string;
  /** By default, the extension of the input decides. */
  readonly format?: InputFormat['format'] | undefined;
  readonly inputField?: string | undefined;
  readonly idField?: string | undefined;
  /** The types of CSV columns, as `price:number,active:boolean`. */
  readonly types?: string | undefined;
  /** True to leave out items that cannot be sent. */
  readonly skipInvalid: boolean;
  /** Options of every job. */
  readonly jobOptions: JobOptions;
}

export interface BeginOptions extends BatchFiles {
  /** The endpoint as the user named it. */
  readonly endpoint: string;
  /** True to sort the results by item when all items have ended. */
  readonly ordered: boolean;
  readonly limits: BatchLimits;
  /** Called when the input is valid: returns the endpoint's id and the address of the queue API. May fail. */
  readonly connect: () => Promise<{ readonly endpointId: string; readonly service: string }>;
}

/**
 * Checks the files of a new batch without creating any. Fails with usage (2) when the input cannot be sent, with
 * local-file (14) when there is a batch or results already, and as reading the input does.
 */
export async function checkBatch(ports: BatchPorts, files: BatchFiles): Promise<InputSummary> {
  const { format, copiesInput } = await resolveFiles(ports, files);
  if (copiesInput && format.format === 'parquet')
    throw usage(
      'a Parquet file cannot be checked from a pipe',
      'Its end says where its rows are: write it to a file first, and name that.',
    );
  return await checkInputFile(ports.durable, files.input, format, files.skipInvalid, ports.signal);
}

/**
 * Checks the whole input, begins a batch and runs it to its end. Fails as `checkBatch`, `connect` and `runToEnd` do.
 * After a failure of the first two, nothing was sent.
 */
export async function beginBatch(ports: BatchPorts, options: BeginOptions, view: BatchView): Promise<BatchReport> {
  const { durable, signal } = ports;
  const { format, results, given, copiesInput } = await resolveFiles(ports, options);
  const input = copiesInput ? inputCopyPath(results) : options.input;
  // The resolved path: a link such as /dev/stdin may have another target when the batch is resumed.
  const storedPath = storedInputPath(durable.absolute(results), durable.absolute(copiesInput ? input : given.path));
  const checkFiles = (): Promise<void> => mustBeNew(durable, results, copiesInput, ports.resumeCommand(results));
  let summary: InputSummary | undefined;
  const prepare = async (): Promise<BatchHeader> => {
    await checkFiles();
    const path = copiesInput ? temporaryCopyPath(results) : input;
    if (copiesInput) await writeSyncedFile(durable, path, readUntilAborted(durable, options.input, signal));
    summary = await checkInputFile(durable, path, format, options.skipInvalid, signal);
    const header = headerOf(ports, options, format, summary, storedPath, await options.connect());
    // Reading stdin can take long, and another program may have created files in that time.
    if (copiesInput) await checkFiles();
    return header;
  };
  const batch = await createBatch(durable, results, prepare, copiesInput);
  if (summary === undefined) throw new Error('a batch was created without its header');
  await view.onInputChecked?.(summary);
  const verified = { path: input, fingerprint: summary.fingerprint };
  return await runToEnd(ports, results, batch, verified, options.limits, view);
}

interface ResolvedFiles {
  readonly format: InputFormat;
  readonly results: string;
  /** The resolved path and kind of the input file. */
  readonly given: ResolvedPath;
  /** True when the input is copied, because stdin and pipes can be read only once. */
  readonly copiesInput: boolean;
}

/** Resolves the paths of a new batch. Fails with usage (2) or local-file (14), before the lock is acquired. */
async function resolveFiles({ durable, resumeCommand }: BatchPorts, files: BatchFiles): Promise<ResolvedFiles> {
  const results = await resolveResultsPath(durable, files.results);
  if (files.input === '') throw usage('--input is not the name of a file', 'Name a file, or - for stdin.');
  const given = await durable.resolve(files.input);
  const copiesInput = files.input === '-' || given.kind === 'other';
  await mustBeNew(durable, results, copiesInput, resumeCommand(results));
  const kind = files.format ?? formatByName(files.input);
  if (files.types !== undefined && (kind !== 'csv' || files.inputField !== undefined))
    throw usage(
      kind === 'csv' ? '--types and --input-field exclude each other' : '--types is for a CSV file',
      kind === 'csv' ? 'The column of --input-field holds JSON.' : 'In other files, each value has its type.',
    );
  const format: InputFormat = {
    path: files.input,
    format: kind,
    ...(kind === 'csv' ? { types: files.types === undefined ? {} : parseColumnTypes(files.types) } : {}),
    ...(files.inputField === undefined ? {} : { inputField: files.inputField }),
    ...(files.idField === undefined ? {} : { idField: files.idField }),
    extras: optionsText(files.jobOptions),
  };
  return { format, results, given, copiesInput };
}

const formatByName = (name: string): InputFormat['format'] => {
  if (/\.[ct]sv$/i.test(name)) return 'csv';
  return /\.(?:parquet|pq)$/i.test(name) ? 'parquet' : 'jsonl';
};

function headerOf(
  { clock }: BatchPorts,
  { endpoint, ordered }: BeginOptions,
  { extras, ...input }: InputFormat,
  { planned, invalid, fingerprint: { bytes, sha256 } }: InputSummary,
  path: string,
  { endpointId, service }: { readonly endpointId: string; readonly service: string },
): BatchHeader {
  return {
    version: 1,
    endpoint,
    endpointId,
    service,
    input: { ...input, path, bytes, sha256 },
    extras,
    planned,
    invalid,
    ordered,
    // eslint-disable-next-line no-restricted-syntax -- a date, for the journal
    createdAt: clock.now(),
  };
}
