import { type BatchPorts, LOCAL_SERVICE } from '../../batch/index.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { catalogFor, ofWorker } from '../../cli/money.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { arrayOf, memberAt } from '../../core/json.ts';
import type { DollarRange } from '../../core/units.ts';

/** Returns the parts of the Context that a batch needs. */
export const batchPorts = async (ctx: CommandContext): Promise<BatchPorts> => ({
  durable: await ctx.durable(),
  clock: ctx.clock,
  random: ctx.random,
  signal: ctx.signal,
  batchApi: (options) => ctx.batchApi(options),
  onSecondInterrupt: (listener) => ctx.onSecondInterrupt(listener),
  workerPrice: (endpointId, signal) => requestWorkerPrice(ctx, endpointId, signal),
  local: ctx.settings.local,
});

/** US dollars an hour, each request tried once. Fails if a queue API has no management API. */
async function requestWorkerPrice(
  ctx: CommandContext,
  endpointId: string,
  signal: AbortSignal,
): Promise<DollarRange | undefined> {
  const api = await ctx.batchApi({ signal });
  const get = (path: readonly string[]) => api.send({ service: 'base', method: 'GET', path });
  const endpoint = (await get([...ENDPOINTS.path, endpointId])).value ?? null;
  const { path, member } = catalogFor(endpoint);
  return ofWorker(endpoint, arrayOf(memberAt((await get(path)).value, member)) ?? []).hourly;
}

/** Without a key. */
export async function serviceAddress(ctx: CommandContext): Promise<string> {
  const { url } = await ctx.api.preview({ service: 'queue', method: 'GET', path: ['v2'] });
  return ctx.settings.local ? LOCAL_SERVICE : url;
}
