import { isDeepStrictEqual } from 'node:util';
import { EXIT } from '../../core/exit-codes.ts';
import type { DurableFiles } from '../../core/context.ts';
import { Failure, localFile } from '../../core/failure.ts';
import { sentence } from '../../core/message.ts';
import { resumeLine } from '../model/command-lines.ts';
import type { Shard } from '../model/shard.ts';
import { resumeBatch } from './resume.ts';
import { writeSyncedFile } from '../bytes/synced-files.ts';
import {
  checkPiped,
  formatOf,
  type InputOptions,
  type InputSummary,
  planInputs,
  type PlanOptions,
  sharedFormat,
} from '../read/check-inputs.ts';
import { findInputs, readOnceInput, readUntilAborted } from '../read/find-inputs.ts';
import { inputCopyPath, journalPath, temporaryCopyPath } from '../store/file-names.ts';
import { findBatch, mustBeNew, resolveResultsPath } from '../store/results-path.ts';
import { createBatch, withNewPlace } from '../store/open-batch.ts';
import { type BatchHeader, VERSION } from '../store/record.ts';
import { identityOf, locateInputs } from '../store/stored-inputs.ts';
import type { BatchPorts, BatchView } from './ports.ts';
import type { BatchSettings } from '../model/batch.ts';
import { type BatchReport, runToEnd } from './run-to-end.ts';
import { optionsText } from '../../queue/submission.ts';

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
  const { durable, local } = ports;
  const piped = await readOnceInput(durable, options.inputs);
  const path = await resolveResultsPath(durable, options.out);
  if (options.fresh || (await headerAt(durable, path)) === undefined)
    await mustBeNew(durable, path, piped !== undefined, local);
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
  const header = options.fresh ? undefined : await headerAt(durable, path);
  if (header !== undefined) return await goOn(ports, { path, header, options, endpoint, connect }, view);
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
    const items = checked.sources.reduce((sum, source) => sum + source.items, 0);
    const input = await identityOf(durable, durable.absolute(path), checked);
    // oxlint-disable-next-line berth/no-wall-clock -- a date, for the journal
    const createdAt = clock.now();
    const header = {
      version: VERSION,
      ...target,
      input,
      extras,
      settings,
      planned,
      invalid,
      ...(options.shard === undefined ? {} : { shard: { ...options.shard, items } }),
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

async function headerAt(durable: DurableFiles, path: string): Promise<BatchHeader | undefined> {
  const { kind } = await durable.resolve(journalPath(path));
  return kind === 'file' ? (await findBatch(durable, path)).header : undefined;
}

interface SameBatch extends BeginRun {
  readonly path: string;
  readonly header: BatchHeader;
  readonly options: BeginOptions;
}

/** Fails with local-file (14) where the batch at this place is another one: nothing was sent. */
async function goOn(
  ports: BatchPorts,
  { path, header, options, endpoint, connect }: SameBatch,
  view: BatchView,
): Promise<BatchReport> {
  const { inputs, copied, ...format } = header.input;
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
  const names = found.map(({ name }) => name);
  const isRead = !isPiped && copied !== true && found.length === inputs.length;
  if (!isRead || !isDeepStrictEqual(format, sharedFormat(names, options))) throw another('input');
  if (inputs.some((input, at) => input.format !== formatOf(names[at] ?? '', options))) throw another('input');
  const paths = found.map((each) => each.path);
  await locateInputs(ports, path, header, paths).catch((error: unknown) => {
    if (error instanceof Failure && error.exit === EXIT.usage) throw another('input');
    throw error;
  });
  const { settings } = options;
  const service = async (): Promise<string> => (await connect()).service;
  return await resumeBatch(ports, path, { service, settings, input: paths }, view);
}

const planOptionsOf = (options: BeginOptions): PlanOptions => ({
  ...options,
  extras: optionsText(options.settings),
});
