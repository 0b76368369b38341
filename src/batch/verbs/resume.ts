import { usage } from '../../core/failure.ts';
import { findMoved } from '../read/find-inputs.ts';
import type { BatchPorts, BatchView } from './ports.ts';
import type { BatchSettings, Resubmit } from '../model/batch.ts';
import { recoverBatch } from '../store/recover-batch.ts';
import { findBatch } from '../store/results-path.ts';
import { locateInputs } from '../store/stored-inputs.ts';
import { runToEnd, type BatchReport } from './run-to-end.ts';

interface ResumeOptions {
  readonly service: () => Promise<string>;
  /** Given anew. */
  readonly settings: BatchSettings;
  /** Set when they were moved: all of them, in the order of the batch. */
  readonly input: readonly string[];
  readonly resubmit?: Resubmit | undefined;
}

/** Fails with usage (2) for another address or input, local-file (14) for changed files. */
export async function resumeBatch(
  ports: BatchPorts,
  name: string,
  { service, settings, input, resubmit }: ResumeOptions,
  view: BatchView,
): Promise<BatchReport> {
  const { durable, signal } = ports;
  const { path, header } = await findBatch(durable, name);
  const moved = await findMoved(ports, input);
  const inUse = await service();
  if (inUse !== header.service)
    throw usage(
      `this batch was begun at ${header.service}, and the address in use is ${inUse}`,
      'Use the settings it was begun with.',
    );
  const inputs = await locateInputs(ports, path, header, moved);
  const open = await recoverBatch(durable, path, { header, settings, resubmit, signal });
  return await runToEnd(ports, { path, open, inputs }, view);
}
