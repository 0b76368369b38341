import { LOCAL_SERVICE, type BatchPorts } from '../../../batch/index.ts';
import { arrayOf, memberAt } from '../../../core/json.ts';
import type { DollarRange } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { ENDPOINTS } from '../../shared/collections.ts';
import { priceCatalog, workerHourlyPrice } from '../../shared/rate/worker-price.ts';

/** Returns the parts of the Context that a batch needs. */
export const batchPorts = async (ctx: CommandContext, s3Endpoint: string | undefined): Promise<BatchPorts> => ({
  durable: await ctx.durable(),
  storage: await ctx.storage({ s3Endpoint }),
  clock: ctx.clock,
  random: ctx.random,
  signal: ctx.signal,
  batchApi: (options) => ctx.batchApi(options),
  onSecondInterrupt: (listener) => ctx.onSecondInterrupt(listener),
  workerPrice: (endpointId, signal) => requestWorkerPrice(ctx, endpointId, signal),
  local: ctx.settings.local,
});

/**
 * Requests the price of a worker of an endpoint per hour from the management API: the endpoint's hardware, then the
 * catalog's prices for it. Each request is tried once. Fails as the requests do; a queue API may have no management API.
 */
async function requestWorkerPrice(
  ctx: CommandContext,
  endpointId: string,
  signal: AbortSignal,
): Promise<DollarRange | undefined> {
  // The rate windows of these answers are not those of the queue API.
  const api = ctx.batchApi({ signal, onWindows: () => undefined });
  const get = (path: readonly string[]) => api.send({ service: 'base', method: 'GET', path });
  const endpoint = (await get([...ENDPOINTS.path, endpointId])).value ?? null;
  const { path, member } = priceCatalog(endpoint);
  return workerHourlyPrice(endpoint, arrayOf(memberAt((await get(path)).value, member)) ?? []);
}

/** Returns the address of the queue API as a batch stores it: without a key. */
export async function serviceAddress(ctx: CommandContext): Promise<string> {
  const { url } = await ctx.api.preview({ service: 'queue', method: 'GET', path: ['v2'] });
  return ctx.settings.local ? LOCAL_SERVICE : url;
}
