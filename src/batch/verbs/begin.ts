import { type JobOptions, optionsText } from '../../queue/submission.ts';
import { checkPiped, formatOf, type InputOptions, planInputs, type PlanOptions } from '../plan/check-and-cut-inputs.ts';
import { findInputs, type FoundInput, readOnceInput } from '../plan/find-inputs.ts';
import type { BatchLimits, BatchPorts, BatchView } from './ports.ts';
import type { InputSummary } from '../read/batch-plan.ts';
import { readUntilAborted } from '../read/unchanged-content.ts';
import type { CopyInput, NewBatch, Store } from '../model/store.ts';
import { type BatchReport, runToEnd } from './run-to-end.ts';

/** A new batch as the user describes it. */
export interface BeginOptions extends InputOptions {
  /** Undefined where the results name the batch. */
  readonly name?: string | undefined;
  /** Files, `s3://` addresses and globs; or `-` alone, which is stdin. */
  readonly inputs: readonly string[];
  /** The results file; where several drivers share a batch, the folder or prefix of its parts. */
  readonly out: string;
  readonly skipInvalid: boolean;
  readonly jobOptions: JobOptions;
  /** Items that a driver claims at a time, at most. */
  readonly itemsPerRange: number;
  readonly ordered: boolean;
  readonly compression: NewBatch['compression'];
}

interface BeginRun {
  readonly endpoint: string;
  /** Called before anything is written: returns the endpoint's id and the address of the queue API. May fail. */
  readonly connect: () => Promise<{ readonly endpointId: string; readonly service: string }>;
  readonly limits: BatchLimits;
  readonly leaseMs: number;
}

/**
 * Checks a new batch without creating any. Fails with usage (2) when the input cannot be sent, as `Store.place` does, and as
 * reading the input does.
 */
export async function checkBatch(ports: BatchPorts, store: Store, options: BeginOptions): Promise<InputSummary> {
  const piped = await readOnceInput(ports.durable, options.inputs);
  await store.place({ name: options.name, out: options.out, copiesInput: piped !== undefined });
  const planned = planOptionsOf(options);
  if (piped !== undefined) return await checkPiped(ports, piped, planned);
  return (await planInputs(ports, await findInputs(ports, options.inputs), planned)).summary;
}

/**
 * Checks the whole input, begins a batch and runs it to its end. Fails as `checkBatch`, `connect` and creating the batch do:
 * nothing was sent then.
 */
export async function beginBatch(
  ports: BatchPorts,
  store: Store,
  options: BeginOptions,
  { endpoint, connect, limits, leaseMs }: BeginRun,
  view: BatchView,
): Promise<BatchReport> {
  const { ordered, compression } = options;
  const piped = await readOnceInput(ports.durable, options.inputs);
  const place = await store.place({ name: options.name, out: options.out, copiesInput: piped !== undefined });
  const batch = await place.create(async (copy) => {
    // An input that can be read only once is copied to be read: only for an endpoint that is there.
    const early = piped === undefined ? undefined : await connect();
    const found =
      piped === undefined
        ? await findInputs(ports, options.inputs)
        : [await copied(ports, piped, formatOf(piped, options), copy)];
    const plan = await planInputs(ports, found, planOptionsOf(options));
    const input = (piped === undefined ? options.inputs : found.map(({ address }) => address)).join(', ');
    return { endpoint, ...(early ?? (await connect())), input, plan, ordered, compression };
  });
  await view.onBegun?.(batch.name, batch.summary, batch.copy);
  const session = await batch.drive({ leaseMs, rate: limits.rate, resume: undefined });
  return await runToEnd(ports, batch, session, limits, view);
}

const planOptionsOf = (options: BeginOptions): PlanOptions => ({
  ...options,
  extras: optionsText(options.jobOptions),
});

/** Copies an input that can be read only once. In messages it keeps its name. */
async function copied(
  { durable, storage, signal }: BatchPorts,
  input: string,
  format: string,
  copy: CopyInput,
): Promise<FoundInput> {
  const address = await copy(readUntilAborted(durable, input, signal), format);
  const object = await storage.describe(address, signal);
  if (object === undefined) throw new Error('the copy of an input was removed');
  return { ...object, name: input };
}
