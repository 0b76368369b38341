import type { Json } from '../../core/json.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { badRequest } from '../contract/problem.ts';
import { type Operation, reply, unpublished } from '../http/operation.ts';
import { bodyOf } from '../http/validate.ts';
import { endpoints } from '../model/endpoints.ts';
import { type CpuData, DATA_CENTERS, type GpuData } from '../model/hardware.ts';
import { cpusOf, dataCentersWith, gpusOf, resetStock, setPrice, setStock, type Span } from '../model/stock.ts';
import { endpointChanged } from '../queue/index.ts';
import type { State } from '../state/state.ts';

export const control = (
  request: string,
  run: Operation['run'],
  body?: string,
  parameters: Operation['parameters'] = [],
): Operation =>
  unpublished(request, request, { service: 'control', run, parameters, ...(body === undefined ? {} : { body }) });

/** Permanent when absent. */
interface SpanBody {
  readonly forMs?: Milliseconds;
  readonly everyMs?: Milliseconds;
}

interface StockBody extends SpanBody {
  readonly hardware: string;
  readonly free: number;
  /** Every data center that has this hardware in the catalog when absent. */
  readonly dataCenter?: string;
}

interface PriceBody extends SpanBody {
  readonly hardware: string;
  readonly price: number;
  /** Both clouds when absent. A CPU flavor is on the SECURE cloud alone. */
  readonly cloud?: 'SECURE' | 'COMMUNITY';
}

/** Lets every endpoint start the workers for which there is stock now. */
export function allEndpointsChanged(state: State): void {
  for (const { id } of endpoints.all(state)) endpointChanged(state, id);
}

const hardwareOf = (state: State): readonly (GpuData | CpuData)[] => [...gpusOf(state), ...cpusOf(state)];

function findHardware(state: State, id: string): GpuData | CpuData {
  const all = hardwareOf(state);
  const found = all.find((each) => each.id === id);
  if (found === undefined) throw badRequest(`unknown hardware ${id}: one of ${all.map((each) => each.id).join(', ')}`);
  return found;
}

function spanOf({ forMs, everyMs }: SpanBody, from: number): Span | undefined {
  if (forMs === undefined) return undefined;
  return { from, forMs, ...(everyMs === undefined ? {} : { everyMs }) };
}

function changeStock(state: State, { hardware, free, dataCenter, ...span }: StockBody, now: EpochMs): void {
  const found = findHardware(state, hardware);
  if (dataCenter !== undefined && !DATA_CENTERS.some(({ id }) => id === dataCenter))
    throw badRequest(`unknown data center ${dataCenter}: one of ${DATA_CENTERS.map(({ id }) => id).join(', ')}`);
  const where = dataCenter === undefined ? dataCentersWith(found) : [dataCenter];
  setStock(state, hardware, where, free, spanOf(span, now));
}

function changePrice(state: State, { hardware, price, cloud, ...span }: PriceBody, now: EpochMs): void {
  const isCpu = 'vcpu' in findHardware(state, hardware);
  const members = isCpu ? ['securePerVcpu'] : cloud === undefined ? ['secure', 'community'] : [cloud.toLowerCase()];
  setPrice(state, hardware, members, price, spanOf(span, now));
}

const stockOf = (state: State): Json => ({
  stock: hardwareOf(state).flatMap((hardware) =>
    dataCentersWith(hardware).map((dataCenter) => ({
      hardware: hardware.id,
      dataCenter,
      free: hardware.stock[dataCenter] ?? 0,
    })),
  ),
});

export const stockOperations: readonly Operation[] = [
  control('GET /local/stock', reply(200, stockOf)),
  control(
    'POST /local/stock',
    reply(200, (state, call, now) => {
      changeStock(state, bodyOf(call) as StockBody, now);
      allEndpointsChanged(state);
      return stockOf(state);
    }),
    'LocalStockRequest',
  ),
  control(
    'POST /local/prices',
    reply(200, (state, call, now) => {
      changePrice(state, bodyOf(call) as PriceBody, now);
      return stockOf(state);
    }),
    'LocalPriceRequest',
  ),
  control(
    'DELETE /local/stock',
    reply(204, (state) => {
      resetStock(state);
      allEndpointsChanged(state);
    }),
  ),
];
