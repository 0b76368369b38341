import type { InputSummary } from './plan/check-input.ts';
import type { InputFormat } from './read/item.ts';
import { parquetFromPipe } from './plan/read-once.ts';
import { readUntilAborted } from './read/read-until-aborted.ts';
import type { BatchLimits, BatchPorts, BatchView } from './ports.ts';
import type { BatchReport } from './results/report/report-types.ts';
import { resolveInput, type BatchFiles, type CheckedInput } from './resolve-input.ts';
import { runToEnd } from './run-to-end.ts';
import { temporaryCopyPath } from './stores/file/file-names.ts';
import type { BatchHeader } from './stores/file/journal/record.ts';
import { createBatch } from './stores/file/open-batch.ts';
import { mustBeNew } from './stores/file/results-path.ts';
import { writeSyncedFile } from './stores/file/write-file.ts';

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
  const input = await resolveInput(ports, files);
  await mustBeNew(ports.durable, input.results, input.isCopied, ports.resumeCommand(input.results));
  if (input.isCopied && input.format.format === 'parquet') throw parquetFromPipe();
  return (await input.check(files.skipInvalid)).summary;
}

/**
 * Checks the whole input, begins a batch and runs it to its end. Fails as `checkBatch`, `connect` and `runToEnd` do.
 * After a failure of the first two, nothing was sent.
 */
export async function beginBatch(ports: BatchPorts, options: BeginOptions, view: BatchView): Promise<BatchReport> {
  const { durable, signal } = ports;
  const input = await resolveInput(ports, options);
  const { results, isCopied } = input;
  const checkFiles = (): Promise<void> => mustBeNew(durable, results, isCopied, ports.resumeCommand(results));
  await checkFiles();
  let checked: CheckedInput | undefined;
  const prepare = async (): Promise<BatchHeader> => {
    await checkFiles();
    if (isCopied) {
      const copy = temporaryCopyPath(results);
      await writeSyncedFile(durable, copy, readUntilAborted(durable, options.inputs[0] ?? '', signal));
      checked = await input.check(options.skipInvalid, copy);
    } else checked = await input.check(options.skipInvalid);
    const header = headerOf(ports, options, input.format, checked, await options.connect());
    // Reading stdin can take long, and another program may have created files in that time.
    if (isCopied) await checkFiles();
    return header;
  };
  const batch = await createBatch(durable, results, prepare, isCopied);
  if (checked === undefined) throw new Error('a batch was created without its header');
  await view.onInputChecked?.(checked.summary);
  return await runToEnd(ports, results, batch, checked.verified(batch.header), options.limits, view);
}

function headerOf(
  { clock }: BatchPorts,
  { endpoint, ordered }: BeginOptions,
  { extras, ...input }: InputFormat,
  { summary: { planned, invalid, fingerprint }, stored }: CheckedInput,
  { endpointId, service }: { readonly endpointId: string; readonly service: string },
): BatchHeader {
  return {
    version: 1,
    endpoint,
    endpointId,
    service,
    input: { ...input, ...stored, bytes: fingerprint.bytes, sha256: fingerprint.sha256 },
    extras,
    planned,
    invalid,
    ordered,
    // eslint-disable-next-line no-restricted-syntax -- a date, for the journal
    createdAt: clock.now(),
  };
}
