import type { Json } from '../../core/json.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { badRequest } from '../contract/problem.ts';
import { type Operation, reply, unpublished } from '../http/operation.ts';
import { bodyOf } from '../http/validate.ts';
import { endpoints } from '../model/endpoints.ts';
import { type CpuData, DATA_CENTERS, type GpuData } from '../model/hardware.ts';
import { changeHardware, cpusOf, dataCentersWith, gpusOf, resetHardware } from '../model/stock.ts';
import { endpointChanged } from '../queue/index.ts';
import type { State } from '../state/state.ts';

export const control = (
  request: string,
  run: Operation['run'],
  body?: string,
  parameters: Operation['parameters'] = [],
): Operation =>
  unpublished(request, request, { service: 'control', run, parameters, ...(body === undefined ? {} : { body }) });

interface ChangeBody {
  readonly hardware: string;
  /** For good when absent. */
  readonly forMs?: Milliseconds;
  readonly everyMs?: Milliseconds;
}

interface StockBody extends ChangeBody {
  readonly free: number;
  /** Every data center that has this hardware in the catalog when absent. */
  readonly dataCenter?: string;
}

interface PriceBody extends ChangeBody {
  readonly price: number;
  /** Both clouds when absent. A CPU flavor is on the SECURE cloud alone. */
  readonly cloud?: 'SECURE' | 'COMMUNITY';
}

/** Lets every endpoint start the workers for which there is stock now. */
export function allEndpointsChanged(state: State): void {
  for (const { id } of endpoints.all(state)) endpointChanged(state, id);
}

const hardwareOf = (state: State): readonly (GpuData | CpuData)[] => [...gpusOf(state), ...cpusOf(state)];

const idsOf = (all: readonly { readonly id: string }[]): string => all.map(({ id }) => id).join(', ');

function findHardware(state: State, id: string): GpuData | CpuData {
  const all = hardwareOf(state);
  const found = all.find((each) => each.id === id);
  if (found === undefined) throw badRequest(`unknown hardware ${id}: one of ${idsOf(all)}`);
  return found;
}

const spanOf = ({ forMs, everyMs }: ChangeBody, from: EpochMs) =>
  forMs === undefined ? {} : { span: { from, forMs, ...(everyMs === undefined ? {} : { everyMs }) } };

function changeStock(state: State, body: StockBody, now: EpochMs): void {
  const { hardware, free, dataCenter } = body;
  const found = findHardware(state, hardware);
  if (dataCenter !== undefined && !DATA_CENTERS.some(({ id }) => id === dataCenter))
    throw badRequest(`unknown data center ${dataCenter}: one of ${idsOf(DATA_CENTERS)}`);
  const where = dataCenter === undefined ? dataCentersWith(found) : [dataCenter];
  changeHardware(state, where, { hardware, of: 'stock', value: free, ...spanOf(body, now) });
}

function changePrice(state: State, body: PriceBody, now: EpochMs): void {
  const { hardware, price, cloud } = body;
  const isCpu = 'vcpu' in findHardware(state, hardware);
  const members = isCpu ? ['securePerVcpu'] : cloud === undefined ? ['secure', 'community'] : [cloud.toLowerCase()];
  changeHardware(state, members, { hardware, of: 'price', value: price, ...spanOf(body, now) });
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

const changing = (change: (state: State, body: never, now: EpochMs) => void): Operation['run'] =>
  reply(200, (state, call, now) => {
    change(state, bodyOf(call) as never, now);
    allEndpointsChanged(state);
    return stockOf(state);
  });

export const stockOperations: readonly Operation[] = [
  control('GET /local/stock', reply(200, stockOf)),
  control('POST /local/stock', changing(changeStock), 'LocalStockRequest'),
  control('POST /local/prices', changing(changePrice), 'LocalPriceRequest'),
  control(
    'DELETE /local/stock',
    reply(204, (state) => {
      resetHardware(state);
      allEndpointsChanged(state);
    }),
  ),
];
