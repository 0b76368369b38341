import { workLine } from '../command-lines.ts';
import { berth, type CommandLine, sentence } from '../../../../core/message.ts';
import {
  checkShared,
  beginShared,
  driveShared,
  isStoreUnavailable,
  planShared,
  resubmitShared,
  setCancelled,
  type PlanOptions,
  type SharedPorts,
} from '../../../../batch/shared/index.ts';
import type { Resubmit } from '../../../../batch/index.ts';
import { usage } from '../../../../core/failure.ts';
import type { CommandContext } from '../../../../cli/context.ts';
import { sendTo } from '../../../../cli/resource/identity/identify.ts';
import type { Result } from '../../../../output/view.ts';
import { healthRequest } from '../../../../queue/requests.ts';
import { ENDPOINTS } from '../../../shared/collections.ts';
import type { ResumeValues, RunValues, WorkValues } from '../flags.ts';
import { serviceAddress } from '../ports.ts';
import { viewOf } from '../progress.ts';
import { batchResult } from '../result.ts';
import { describeSkipped, dryRunResult, nameOfInputs } from '../run-notes.ts';
import { withStore } from './store.ts';

/** Milliseconds of a lease when the user names none. */
const DEFAULT_LEASE_MS = 120_000;
const LEAST_LEASE_MS = 2000;

/** Plans a batch, stores its manifest and drives it. Fails with usage (2) and local-file (14) before anything is stored. */
export async function runShared(ctx: CommandContext, values: RunValues): Promise<Result> {
  if (values.ordered)
    throw usage(
      '--ordered is for results in one file',
      sentence`Put them in order at the end: ${berth`jobs batch export N --ordered`}`,
    );
  const leaseMs = leaseOf(values);
  const name = values.name ?? defaultName(ctx, values.endpoint);
  if (!/^[A-Za-z0-9][\w.-]{0,99}$/.test(name))
    throw usage('--name has letters, digits, . _ and - only, 100 at most', 'It begins with a letter or a digit.');
  return await withStore(
    ctx,
    values,
    ctx.dryRun ? undefined : 'create',
    async ({ ports, find }) => {
      const options = planOptionsOf(ctx, values, name);
      if (ctx.dryRun) return await dryRunResult(ctx, values, await checkShared(ports, options));
      const { manifest, shards, summary, copy, discard } = await planShared(ports, options);
      const service = await serviceAddress(ctx);
      try {
        const { id: endpointId } = await sendTo(ctx, ENDPOINTS, values.endpoint, healthRequest);
        const { endpoint } = values;
        await beginShared(ports, name, { version: 1, endpoint, endpointId, service, ...manifest }, shards);
      } catch (error) {
        // Without an answer of the store, the batch may have been created, and needs its input.
        if (!isStoreUnavailable(error)) await discard().catch(() => undefined);
        throw error;
      }
      if (copy !== undefined) await ctx.tell(`The input was copied to ${copy}, where every driver reads it.`);
      for (const line of describeSkipped(nameOfInputs(values), summary)) await ctx.tell(line);
      await ctx.tell(sentence`Batch ${name}. On any other machine: ${joinLine(ports, name)}`);
      const driving = { leaseMs, limits: values, service, moved: false };
      return batchResult(ctx, await driveShared(ports, await find(name), driving, viewOf(ctx)));
    },
    timeoutOf(leaseMs),
  );
}

const planOptionsOf = (ctx: CommandContext, values: RunValues, name: string): PlanOptions => ({
  name,
  inputs: values.input,
  out: values.out,
  format: values.inputFormat as PlanOptions['format'],
  inputField: values.inputField,
  idField: values.idField,
  types: values.types,
  csvRaw: ctx.output.csvRaw,
  skipInvalid: values.skipInvalid,
  compression: (values.compress ?? 'none') as PlanOptions['compression'],
  itemsPerShard: values.shardItems,
  jobOptions: values,
});

/** Joins the drivers of a batch. */
export async function workShared(ctx: CommandContext, values: WorkValues): Promise<Result> {
  const leaseMs = leaseOf(values);
  return await withStore(
    ctx,
    values,
    'migrate',
    async ({ ports, find }) => {
      const batch = await find(values.batch);
      if (batch.cancelled)
        throw usage(
          `the batch ${batch.name} was cancelled`,
          sentence`To go on with it: ${ports.resumeCommand(batch.name)}`,
        );
      const options = { leaseMs, limits: values, service: await serviceAddress(ctx), moved: values.moved };
      return batchResult(ctx, await driveShared(ports, batch, options, viewOf(ctx)));
    },
    timeoutOf(leaseMs),
  );
}

/** Removes the mark of a cancelled batch, sets items back that are to be sent again, and drives the batch. */
export async function resumeShared(
  ctx: CommandContext,
  values: ResumeValues,
  resubmit: Resubmit | undefined,
): Promise<Result> {
  const leaseMs = leaseOf(values);
  if (values.input.length > 0)
    throw usage('--input cannot be changed for a batch in a store', 'Its inputs are in its manifest.');
  return await withStore(
    ctx,
    values,
    'migrate',
    async ({ ports, find }) => {
      const batch = await find(values.results);
      const service = await serviceAddress(ctx);
      if (batch.cancelled) await setCancelled(ports.database, batch.batch, false);
      if (resubmit !== undefined) await ctx.tell(await resubmitShared(ports, batch, resubmit));
      const options = { leaseMs, limits: values, service, moved: values.moved };
      return batchResult(ctx, await driveShared(ports, await find(values.results), options, viewOf(ctx)));
    },
    timeoutOf(leaseMs),
  );
}

function leaseOf({ lease = DEFAULT_LEASE_MS }: { readonly lease: number | undefined }): number {
  if (lease < LEAST_LEASE_MS) throw usage('--lease is 2s at least', 'A driver renews it several times in that span.');
  return lease;
}

/** A statement must end well before the lease does. */
const timeoutOf = (leaseMs: number): number => Math.max(1000, Math.min(20_000, leaseMs / 4));

const joinLine = ({ reference }: SharedPorts, name: string): CommandLine => workLine(reference(name));

/** The endpoint and the time in seconds: `demo-20260131-080559`. */
function defaultName(ctx: CommandContext, endpoint: string): string {
  // eslint-disable-next-line no-restricted-syntax -- a date
  const time = new Date(ctx.clock.now()).toISOString().replace(/\D/g, '');
  return `${endpoint.replace(/[^\w.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '')}-${time.slice(0, 8)}-${time.slice(8, 14)}`;
}
