import { asId } from '../../core/ids.ts';
import { usage } from '../../core/failure.ts';
import { findMoved } from '../read/find-inputs.ts';
import type { BatchLimits, BatchPorts, BatchView } from './ports.ts';
import type { Resubmit } from '../model/batch.ts';
import { createFindJobs } from '../run/poll-schedule.ts';
import { createQueueClient } from '../run/queue-client.ts';
import { findBatch } from '../store/journal.ts';
import { recoverBatch } from '../store/recover-batch.ts';
import { locateInputs } from '../store/stored-inputs.ts';
import { expiredSince, runToEnd, type BatchReport } from './run-to-end.ts';

interface ResumeOptions {
  readonly service: () => Promise<string>;
  readonly limits: BatchLimits;
  /** Set when they were moved: all of them, in the order of the batch. */
  readonly input: readonly string[];
  readonly resubmit: Resubmit | undefined;
}

/** Fails with usage (2) for another address or input, local-file (14) for changed files. */
export async function resumeBatch(
  ports: BatchPorts,
  name: string,
  { service, limits, input, resubmit }: ResumeOptions,
  view: BatchView,
): Promise<BatchReport> {
  const { durable, clock, signal } = ports;
  const { path, header } = await findBatch(durable, name);
  const moved = await findMoved(ports, input);
  const inUse = await service();
  if (inUse !== header.service)
    throw usage(
      `this batch was begun at ${header.service}, and the address in use is ${inUse}`,
      'Use the settings it was begun with.',
    );
  const inputs = await locateInputs(ports, path, header, moved);
  const api = ports.batchApi({ signal, onWindows: () => undefined });
  const open = await recoverBatch(durable, path, {
    header,
    wantFailed: (limits.retryFailed ?? 0) > 0,
    expiredSince: expiredSince(clock, header.extras),
    resubmit,
    findJobs: createFindJobs(createQueueClient(api, asId(header.endpointId)), clock, signal),
    signal,
  });
  return await runToEnd(ports, { path, open, inputs }, limits, view);
}
