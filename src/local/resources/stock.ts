import type { Json } from '../../core/json.ts';
import { badRequest } from '../contract/problem.ts';
import { noContent, reply, type Operation } from '../http/call/operation.ts';
import { bodyOf } from '../http/requests/validate.ts';
import { DATA_CENTERS, type CpuData, type GpuData } from '../model/catalog/hardware.ts';
import { cpusOf, dataCentersWith, gpusOf, resetStock, setPrice, setStock, type Span } from '../model/catalog/stock.ts';
import { endpoints } from '../model/endpoints/seed.ts';
import { endpointChanged } from '../queue/index.ts';
import type { State } from '../state/state.ts';
import { control } from './control-operation.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';

/** For how long a change holds: for good when absent. */
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

/** The hardware of this id. Throws the 400 Problem where there is none. */
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

/** Sets the stock of some hardware. Throws the 400 Problem for hardware or a data center that does not exist. */
function changeStock(state: State, { hardware, free, dataCenter, ...span }: StockBody, now: EpochMs): void {
  const found = findHardware(state, hardware);
  if (dataCenter !== undefined && !DATA_CENTERS.some(({ id }) => id === dataCenter))
    throw badRequest(`unknown data center ${dataCenter}: one of ${DATA_CENTERS.map(({ id }) => id).join(', ')}`);
  const where = dataCenter === undefined ? dataCentersWith(found) : [dataCenter];
  setStock(state, hardware, where, free, spanOf(span, now));
}

/** Sets the price of an hour of a GPU or a vCPU. Throws the 400 Problem for hardware that does not exist. */
function changePrice(state: State, { hardware, price, cloud, ...span }: PriceBody, now: EpochMs): void {
  const isCpu = 'vcpu' in findHardware(state, hardware);
  const members = isCpu ? ['securePerVcpu'] : cloud === undefined ? ['secure', 'community'] : [cloud.toLowerCase()];
  setPrice(state, hardware, members, price, spanOf(span, now));
}

/** A row for each hardware in each data center that has it. */
const stockOf = (state: State): Json => ({
  stock: hardwareOf(state).flatMap((hardware) =>
    dataCentersWith(hardware).map((dataCenter) => ({
      hardware: hardware.id,
      dataCenter,
      free: hardware.stock[dataCenter] ?? 0,
    })),
  ),
});

/** The operations behind `berth local stock`. */
export const stockOperations: readonly Operation[] = [
  control('localStock', 'GET /local/stock', reply(200, stockOf)),
  control(
    'localStockSet',
    'POST /local/stock',
    reply(200, (state, call, now) => {
      changeStock(state, bodyOf(call) as StockBody, now);
      allEndpointsChanged(state);
      return stockOf(state);
    }),
    'LocalStockRequest',
  ),
  control(
    'localPriceSet',
    'POST /local/prices',
    reply(200, (state, call, now) => {
      changePrice(state, bodyOf(call) as PriceBody, now);
      return stockOf(state);
    }),
    'LocalPriceRequest',
  ),
  control(
    'localStockReset',
    'DELETE /local/stock',
    noContent((state) => {
      resetStock(state);
      allEndpointsChanged(state);
    }),
  ),
];
