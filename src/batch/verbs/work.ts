import { sentence } from '../../core/message.ts';
import { usage } from '../../core/failure.ts';
import { findMoved } from '../plan/find-inputs.ts';
import type { BatchLimits, BatchPorts, BatchView } from './ports.ts';
import type { Batch, ResumeOptions, Store } from '../model/store.ts';
import { runToEnd, type BatchReport } from './run-to-end.ts';

interface WorkOptions {
  /** Returns the address of the queue API in use. */
  readonly service: () => Promise<string>;
  /** True when the service is the same although its address changed. */
  readonly moved: boolean;
  readonly limits: BatchLimits;
  readonly leaseMs: number;
}

/** Joins the drivers of a batch. Fails with usage (2) when it was cancelled, and as `resumeBatch` does. */
export async function workOnBatch(
  ports: BatchPorts,
  store: Store,
  name: string,
  options: WorkOptions,
  view: BatchView,
): Promise<BatchReport> {
  const batch = await store.open(name);
  if (batch.cancelled)
    throw usage(`the batch ${name} was cancelled`, sentence`To go on with it: ${ports.resumeCommand(name)}`);
  return await driveBatch(ports, batch, options, undefined, view);
}

/**
 * Goes on with a batch and runs it to its end. Fails with usage (2) when the address or the input differs from that of the
 * batch: nothing was changed then. Also fails as `Store.open` and `Batch.drive` do.
 */
export async function resumeBatch(
  ports: BatchPorts,
  store: Store,
  name: string,
  options: WorkOptions & Pick<ResumeOptions, 'input' | 'resubmit'>,
  view: BatchView,
): Promise<BatchReport> {
  const { resubmit } = options;
  const batch = await store.open(name);
  const input = await findMoved(ports, options.input);
  const resume = { input, resubmit, wantFailed: (options.limits.retryFailed ?? 0) > 0 };
  return await driveBatch(ports, batch, options, resume, view);
}

async function driveBatch(
  ports: BatchPorts,
  batch: Batch,
  { service, moved, limits, leaseMs }: WorkOptions,
  resume: ResumeOptions | undefined,
  view: BatchView,
): Promise<BatchReport> {
  const inUse = await service();
  if (inUse !== batch.service && !moved)
    throw usage(
      `this batch was begun at ${batch.service}, and the address in use is ${inUse}`,
      'Use the settings it was begun with. If it is the same service, give the same command with --moved.',
    );
  const session = await batch.drive({ leaseMs, rate: limits.rate, resume });
  return await runToEnd(ports, batch, session, limits, view);
}
