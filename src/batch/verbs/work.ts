import { sentence } from '../../core/message.ts';
import { asId } from '../../core/ids.ts';
import { usage } from '../../core/failure.ts';
import { findMoved } from '../plan/find-inputs.ts';
import type { BatchLimits, BatchPorts, BatchView } from './ports.ts';
import type { ResumeOptions, Store } from '../model/store.ts';
import { createFindJobs } from '../run/find-jobs.ts';
import { createQueueClient } from '../run/queue-client.ts';
import { runToEnd, type BatchReport } from './run-to-end.ts';

interface WorkOptions {
  /** Returns the address of the queue API in use. */
  readonly service: () => Promise<string>;
  /** True when the service is the same although its address changed. */
  readonly moved: boolean;
  readonly limits: BatchLimits;
  readonly leaseMs: number;
  /** What a resume asks for, with its inputs as the user named them; undefined for another driver that joins. */
  readonly resume: Pick<ResumeOptions, 'input' | 'resubmit'> | undefined;
}

/**
 * Goes on with a batch and runs it to its end: as one more driver where `resume` is undefined. Fails with usage (2) when the
 * address or the input differs from that of the batch, and for a driver that joins when it was cancelled: nothing was changed
 * then. Also fails as `Store.open` and `Batch.drive` do, and as asking for expired jobs does before they are sent again.
 */
export async function goOnWithBatch(
  ports: BatchPorts,
  store: Store,
  name: string,
  { service, moved, limits, leaseMs, resume }: WorkOptions,
  view: BatchView,
): Promise<BatchReport> {
  const batch = await store.open(name);
  if (batch.cancelled && resume === undefined)
    throw usage(`the batch ${name} was cancelled`, sentence`To go on with it: ${ports.resumeCommand(name)}`);
  const input = await findMoved(ports, resume?.input ?? []);
  const inUse = await service();
  if (inUse !== batch.service && !moved)
    throw usage(
      `this batch was begun at ${batch.service}, and the address in use is ${inUse}`,
      'Use the settings it was begun with. If it is the same service, give the same command with --moved.',
    );
  const wantFailed = (limits.retryFailed ?? 0) > 0;
  const api = ports.batchApi({ signal: ports.signal, onWindows: () => undefined });
  const findJobs = createFindJobs(createQueueClient(api, asId(batch.endpointId)), ports.clock, ports.signal);
  const options = { leaseMs, rate: limits.rate, resume: resume && { ...resume, input, wantFailed, findJobs } };
  return await runToEnd(ports, batch, await batch.drive(options), limits, view);
}
