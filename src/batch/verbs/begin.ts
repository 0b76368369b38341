import { isDeepStrictEqual } from 'node:util';
import { localFile, usage } from '../../core/failure.ts';
import { sentence } from '../../core/message.ts';
import { optionsText } from '../../queue/requests.ts';
import { writeSyncedFile } from '../bytes/synced-files.ts';
import { type BatchSettings, type Resubmit, resumeLine, type Shard } from '../model/batch.ts';
import { findInputs, readOnceInput, readUntilAborted } from '../read/find-inputs.ts';
import {
  checkPiped,
  formatOf,
  type InputOptions,
  type InputSummary,
  planInputs,
  type PlanOptions,
  sharedFormat,
} from '../read/inputs.ts';
import { findBatch, identityOf, locateInputs } from '../store/find-batch.ts';
import { createBatch, recoverBatch, withNewPlace } from '../store/open-batch.ts';
import { inputCopyPath, journalPath, mustBeNew, resolveResultsPath } from '../store/paths.ts';
import { type BatchHeader, VERSION } from '../store/record.ts';
import { type BatchPorts, type BatchReport, type BatchView, runToEnd } from './run-to-end.ts';

interface BeginOptions extends InputOptions {
  /** Files and globs; or `-` alone, which is stdin. */
  readonly inputs: readonly string[];
  readonly out: string;
  /** There must be no batch there yet; else one of the same input is gone on with. */
  readonly fresh: boolean;
  readonly shard?: Shard | undefined;
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
  const { piped } = await placeOf(ports, options);
  const planned = planOptionsOf(options);
  if (piped !== undefined) return await checkPiped(ports, piped, planned);
  return (await planInputs(ports, await findInputs(ports, options.inputs), planned)).summary;
}

/** Where the results go, and the header of the batch that is there: without one, the place is new. */
async function placeOf({ durable, local }: BatchPorts, { inputs, out, fresh }: BeginOptions) {
  const piped = await readOnceInput(durable, inputs);
  const path = await resolveResultsPath(durable, out);
  const isThere = !fresh && (await durable.resolve(journalPath(path))).kind === 'file';
  if (isThere) return { piped, path, header: (await findBatch(durable, path)).header };
  await mustBeNew(durable, path, local);
  return { piped, path, header: undefined };
}

/** Fails as `checkBatch`, `connect` and creating the batch do: nothing was sent then. */
export async function beginBatch(
  ports: BatchPorts,
  options: BeginOptions,
  run: BeginRun,
  view: BatchView,
): Promise<BatchReport> {
  const { durable, clock, local } = ports;
  const { endpoint, connect } = run;
  const { ordered, settings, shard } = options;
  const { piped, path, header: known } = await placeOf(ports, options);
  if (known !== undefined) return await goOn(ports, { path, header: known, options }, run, view);
  const { open, plan } = await withNewPlace(durable, path, async (release) => {
    await mustBeNew(durable, path, local);
    // An input that can be read only once is copied only for an endpoint that exists.
    const early = piped === undefined ? undefined : await connect();
    const copy = inputCopyPath(path);
    if (piped !== undefined) await writeSyncedFile(durable, copy, readUntilAborted(ports, piped));
    const found = piped === undefined ? await findInputs(ports, options.inputs) : [{ path: copy, name: piped }];
    const checked = await planInputs(ports, found, planOptionsOf(options));
    const target = { endpoint, ...(early ?? (await connect())) };
    // Reading stdin can take long, and another program may have created files in that time.
    await mustBeNew(durable, path, local);
    const { extras, summary } = checked;
    const items = checked.sources.reduce((sum, source) => sum + source.items, 0);
    const header: BatchHeader = {
      version: VERSION,
      ...target,
      input: await identityOf(durable, durable.absolute(path), checked),
      extras,
      settings,
      planned: summary.planned,
      invalid: summary.invalid,
      ...(shard === undefined ? {} : { shard: { ...shard, items } }),
      ordered,
      // oxlint-disable-next-line berth/no-wall-clock -- a date, for the journal
      createdAt: clock.now(),
    };
    return { open: await createBatch(durable, path, header, release), plan: checked };
  });
  await view.onBegun?.(plan.summary);
  return await runToEnd(ports, { path, open, inputs: plan }, view);
}

interface SameBatch {
  readonly path: string;
  readonly header: BatchHeader;
  readonly options: BeginOptions;
}

/** Fails with local-file (14) where the batch at this place is another one: nothing was sent. */
async function goOn(
  ports: BatchPorts,
  { path, header, options }: SameBatch,
  { endpoint, connect }: BeginRun,
  view: BatchView,
): Promise<BatchReport> {
  const { inputs, copied = false, ...format } = header.input;
  const another = (what: string) =>
    localFile(
      `the batch at ${path} has another ${what}: nothing was sent`,
      sentence`Name another --out, or go on with it: ${resumeLine(ports.local, path)}`,
    );
  if (endpoint !== header.endpoint && endpoint !== header.endpointId) throw another('endpoint');
  const { items: _, ...shard } = header.shard ?? { items: 0 };
  if (!isDeepStrictEqual(shard, options.shard ?? {})) throw another('shard');
  const isPiped = (await readOnceInput(ports.durable, options.inputs)) !== undefined;
  const found = isPiped ? [] : await findInputs(ports, options.inputs);
  const formats = found.map(({ name }) => formatOf(name, options));
  const isSame = isDeepStrictEqual([format, inputs.map((input) => input.format)], [sharedFormat(options), formats]);
  if (copied || !isSame) throw another('input');
  const paths = found.map((each) => each.path);
  const { settings } = options;
  const service = async (): Promise<string> => (await connect()).service;
  return await resumeBatch(ports, path, { service, settings, input: paths }, view);
}

const planOptionsOf = (options: BeginOptions): PlanOptions => ({
  ...options,
  extras: optionsText(options.settings),
});

interface ResumeOptions {
  readonly service: () => Promise<string>;
  /** Given anew. */
  readonly settings: BatchSettings;
  /** Set when they were moved: all of them, in the order of the batch. */
  readonly input: readonly string[];
  readonly resubmit?: Resubmit;
}

/** Fails with usage (2) for another address, local-file (14) for changed files. */
export async function resumeBatch(
  ports: BatchPorts,
  name: string,
  { service, settings, input, resubmit }: ResumeOptions,
  view: BatchView,
): Promise<BatchReport> {
  const { durable, signal } = ports;
  const found = await findBatch(durable, name);
  const { path, header } = found;
  const moved = (await findInputs(ports, input)).map((each) => each.path);
  const inUse = await service();
  if (inUse !== header.service)
    throw usage(
      `this batch was begun at ${header.service}, and the address in use is ${inUse}`,
      'Use the settings it was begun with.',
    );
  const inputs = await locateInputs(ports, found, moved);
  const open = await recoverBatch(durable, path, { header, settings, resubmit, signal });
  return await runToEnd(ports, { path, open, inputs }, view);
}
