import { executionCost, type ExecutionCost } from '../../../batch/report/cost.ts';
import type { Api } from '../../../core/api.ts';
import { arrayOf, memberAt } from '../../../core/json.ts';
import type { DollarRange } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { ENDPOINTS } from '../../shared/collections.ts';
import { priceCatalog, workerHourlyPrice } from '../../shared/worker-price.ts';

/** What the jobs of a batch cost while this process looks after them. */
export interface CostMeter {
  /** A worker ran a job for so many milliseconds. */
  readonly ran: (milliseconds: number) => void;
  /** Undefined where no price is known, or no job that ran. */
  readonly soFar: () => ExecutionCost | undefined;
  /** Lets a price that was asked for still come, for a moment; then nothing of this is on the wire any more. */
  close(): Promise<void>;
}

/** Milliseconds that a batch that is over waits for its price. */
const MOMENT_MS = 1000;

/**
 * Asks the management API, beside the batch, what a worker of the endpoint costs. Whatever keeps it from answering, a
 * queue API that stands alone included, the cost stays unknown and the batch hears nothing of it.
 */
export function meterCost(ctx: CommandContext, endpointId: string, sinceResume: boolean): CostMeter {
  const asking = new AbortController();
  // Each is tried once and nothing is said of it; what is left of these limits is not the queue's.
  const api = ctx.batchApi({ signal: asking.signal, onWindows: () => undefined });
  let hour: DollarRange | undefined;
  let executionMs: number | undefined;
  const asked = askHour(api, endpointId).then(
    (known) => {
      hour = known;
    },
    () => undefined,
  );
  return {
    ran: (milliseconds) => {
      executionMs = (executionMs ?? 0) + milliseconds;
    },
    soFar: () =>
      hour === undefined || executionMs === undefined
        ? undefined
        : { ...executionCost(hour, executionMs), sinceResume },
    close: async () => {
      const moment = ctx.clock.deadline(ctx.signal.aborted ? 0 : MOMENT_MS);
      const over = new Promise((resolve) => {
        moment.signal.addEventListener('abort', resolve);
      });
      await Promise.race([asked, over]);
      moment.cancel();
      asking.abort(new Error('the batch is over'));
    },
  };
}

/** The endpoint's hardware, and the catalog's prices for it. Fails as the requests do. */
async function askHour(api: Api, endpointId: string): Promise<DollarRange | undefined> {
  const get = (path: readonly string[]) => api.send({ service: 'base', method: 'GET', path });
  const endpoint = (await get([...ENDPOINTS.path, endpointId])).value ?? null;
  const { path, member } = priceCatalog(endpoint);
  return workerHourlyPrice(endpoint, arrayOf(memberAt((await get(path)).value, member)) ?? []);
}
