import { writeSyncedFile } from '../bytes/synced-files.ts';
import {
  checkPiped,
  type InputOptions,
  type InputSummary,
  planInputs,
  type PlanOptions,
} from '../read/check-inputs.ts';
import { findInputs, readOnceInput, readUntilAborted } from '../read/find-inputs.ts';
import { inputCopyPath, temporaryCopyPath } from '../store/file-names.ts';
import { mustBeNew, resolveResultsPath } from '../store/results-path.ts';
import { createBatch, withNewPlace } from '../store/open-batch.ts';
import { VERSION } from '../store/record.ts';
import { identityOf } from '../store/stored-inputs.ts';
import type { BatchPorts, BatchView } from './ports.ts';
import type { BatchSettings } from '../model/batch.ts';
import { type BatchReport, runToEnd } from './run-to-end.ts';
import { optionsText } from '../../queue/submission.ts';

interface BeginOptions extends InputOptions {
  /** Files and globs; or `-` alone, which is stdin. */
  readonly inputs: readonly string[];
  readonly out: string;
  readonly skipInvalid: boolean;
  readonly settings: BatchSettings;
  /** Sorts the results when all items have ended. */
  readonly ordered: boolean;
}

interface BeginRun {
  readonly endpoint: string;
  /** Called before anything is written. May fail. */
  readonly connect: () => Promise<{ readonly endpointId: string; readonly service: string }>;
}

/** Creates nothing. Fails with usage (2) for the input, local-file (14) for the results. */
export async function checkBatch(ports: BatchPorts, options: BeginOptions): Promise<InputSummary> {
  const { durable, local } = ports;
  const piped = await readOnceInput(durable, options.inputs);
  await mustBeNew(durable, await resolveResultsPath(durable, options.out), piped !== undefined, local);
  const planned = planOptionsOf(options);
  if (piped !== undefined) return await checkPiped(ports, piped, planned);
  return (await planInputs(ports, await findInputs(ports, options.inputs), planned)).summary;
}

/** Fails as `checkBatch`, `connect` and creating the batch do: nothing was sent then. */
export async function beginBatch(
  ports: BatchPorts,
  options: BeginOptions,
  { endpoint, connect }: BeginRun,
  view: BatchView,
): Promise<BatchReport> {
  const { durable, clock, local } = ports;
  const { ordered, settings } = options;
  const piped = await readOnceInput(durable, options.inputs);
  const path = await resolveResultsPath(durable, options.out);
  const checkPlace = (): Promise<void> => mustBeNew(durable, path, piped !== undefined, local);
  await checkPlace();
  const { open, plan } = await withNewPlace(durable, path, piped !== undefined, async (release) => {
    await checkPlace();
    // An input that can be read only once is copied only for an endpoint that exists.
    const early = piped === undefined ? undefined : await connect();
    const copy = temporaryCopyPath(path);
    if (piped !== undefined) await writeSyncedFile(durable, copy, readUntilAborted(ports, piped));
    const found = piped === undefined ? await findInputs(ports, options.inputs) : [{ path: copy, name: piped }];
    const checked = await planInputs(ports, found, planOptionsOf(options));
    const target = { endpoint, ...(early ?? (await connect())) };
    // Reading stdin can take long, and another program may have created files in that time.
    if (piped !== undefined) await checkPlace();
    const { extras, summary } = checked;
    const { planned, invalid } = summary;
    const input = await identityOf(durable, durable.absolute(path), checked);
    // eslint-disable-next-line no-restricted-syntax -- a date, for the journal
    const createdAt = clock.now();
    const header = {
      version: VERSION,
      ...target,
      input,
      extras,
      settings,
      planned,
      invalid,
      ordered,
      createdAt,
    } as const;
    return { open: await createBatch(durable, path, header, release), plan: checked };
  });
  // The copy has its final name now.
  const copy = { path: inputCopyPath(path), name: inputCopyPath(path) };
  const inputs =
    piped === undefined ? plan : { ...plan, sources: plan.sources.map((input) => ({ ...input, ...copy })) };
  await view.onBegun?.(plan.summary);
  return await runToEnd(ports, { path, open, inputs }, view);
}

const planOptionsOf = (options: BeginOptions): PlanOptions => ({
  ...options,
  extras: optionsText(options.settings),
});
