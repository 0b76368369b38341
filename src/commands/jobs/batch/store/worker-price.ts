import { arrayOf, memberAt } from '../../../../core/json.ts';
import type { DollarRange } from '../../../../core/units.ts';
import type { CommandContext } from '../../../../cli/model/context.ts';
import { ENDPOINTS } from '../../../shared/collections.ts';
import { priceCatalog, workerHourlyPrice } from '../../../shared/rate/worker-price.ts';

/**
 * Requests the price of a worker of an endpoint per hour from the management API: the endpoint's hardware, then the
 * catalog's prices for it. Each request is tried once. Fails as the requests do; a queue API may have no management API.
 */
export async function requestWorkerPrice(
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
