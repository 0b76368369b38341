import { noRecords, type Records } from '../../state/records.ts';
import { createPart } from '../../state/record-table.ts';
import type { State } from '../../state/state.ts';
import { CPUS, DATA_CENTERS, GPUS, type CpuData, type GpuData } from './hardware.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';

/** Free GPUs or vCPUs by data center id. */
type Stock = Readonly<Record<string, number>>;

/** When a change holds: from `from` on, for `forMs`, and again after each `everyMs`. */
export interface Span {
  readonly from: EpochMs;
  readonly forMs: Milliseconds;
  readonly everyMs?: Milliseconds;
}

/** What `berth local stock set --for` has changed for a time. */
interface StockSpan extends Span {
  readonly hardware: string;
  readonly dataCenter: string;
  readonly free: number;
}

/** What `berth local stock price` has changed; for a time where it has a span. */
interface PriceChange {
  readonly hardware: string;
  /** A member of `price`. */
  readonly member: string;
  /** US dollars an hour. */
  readonly price: number;
  readonly span?: Span;
}

/**
 * What `berth local stock set` has changed for good, by hardware id. All other stock has the value in the catalog and never
 * changes.
 */
const changes = createPart<Records<Stock>>('stock', () => noRecords());
/** The latest last, which counts. */
const spans = createPart<StockSpan[]>('stock-spans', () => []);
const prices = createPart<PriceChange[]>('prices', () => []);

/** The GPU types with the stock and the prices of this state at its time. */
export const gpusOf = (state: State): readonly GpuData[] => GPUS.map((gpu) => asChanged(state, gpu));

/** The CPU flavors with the stock and the prices of this state at its time. */
export const cpusOf = (state: State): readonly CpuData[] => CPUS.map((cpu) => asChanged(state, cpu));

const asChanged = <T extends GpuData | CpuData>(state: State, hardware: T): T => ({
  ...hardware,
  price: { ...hardware.price, ...pricesOf(state, hardware.id) },
  stock: { ...hardware.stock, ...changedStock(state, hardware.id) },
});

/** What was changed of the stock of some hardware, as it is now. */
const changedStock = (state: State, hardwareId: string): Stock => ({
  ...changes.peek(state)?.[hardwareId],
  ...Object.fromEntries(
    (spans.peek(state) ?? [])
      .filter((span) => span.hardware === hardwareId && holds(span, state.asOf))
      .map(({ dataCenter, free }) => [dataCenter, free]),
  ),
});

const pricesOf = (state: State, hardwareId: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    (prices.peek(state) ?? [])
      .filter(({ hardware, span }) => hardware === hardwareId && (span === undefined || holds(span, state.asOf)))
      .map(({ member, price }) => [member, price]),
  );

function holds({ from, forMs, everyMs }: Span, now: EpochMs): boolean {
  const since = now - from;
  return since >= 0 && (everyMs === undefined ? since : since % everyMs) < forMs;
}

/** The last time at which a span begins or ends, after `after` and up to `now`; undefined without one. */
export function lastStockTurn(state: State, after: number, now: EpochMs): number | undefined {
  const turns = (spans.peek(state) ?? []).flatMap(({ from, forMs, everyMs }) => {
    const begun = everyMs === undefined ? from : from + Math.floor((now - from) / everyMs) * everyMs;
    return [begun, begun + forMs, begun - (everyMs ?? 0) + forMs].filter((at) => at > after && at <= now);
  });
  return turns.length === 0 ? undefined : Math.max(...turns);
}

/** Sets how many GPUs or vCPUs are free in these data centers; without a span for good, in place of what was set before. */
export function setStock(
  state: State,
  hardwareId: string,
  dataCenterIds: readonly string[],
  free: number,
  span: Span | undefined,
): void {
  const isOther = ({ hardware, dataCenter }: StockSpan): boolean =>
    hardware !== hardwareId || !dataCenterIds.includes(dataCenter);
  const added = dataCenterIds.flatMap((dataCenter) =>
    span === undefined ? [] : [{ hardware: hardwareId, dataCenter, free, ...span }],
  );
  if (span === undefined) {
    const changed = Object.fromEntries(dataCenterIds.map((id) => [id, free]));
    changes.of(state)[hardwareId] = { ...changes.of(state)[hardwareId], ...changed };
  }
  spans.replace(state, [...spans.of(state).filter(isOther), ...added]);
}

/** Sets members of the price of some hardware, in US dollars an hour. */
export function setPrice(
  state: State,
  hardware: string,
  members: readonly string[],
  price: number,
  span: Span | undefined,
): void {
  // A price for a time leaves the one below it.
  const isReplaced = (each: PriceChange): boolean =>
    each.hardware === hardware && members.includes(each.member) && (span === undefined || each.span !== undefined);
  const kept = prices.of(state).filter((each) => !isReplaced(each));
  const added = members.map((member) => ({ hardware, member, price, ...(span === undefined ? {} : { span }) }));
  prices.replace(state, [...kept, ...added]);
}

/** Sets all stock and all prices to what the catalog has. */
export const resetStock = (state: State): void => {
  changes.replace(state, noRecords());
  spans.replace(state, []);
  prices.replace(state, []);
};

/** Whether `berth local stock set` has left less than `count` of some hardware in a data center. */
export function isTaken(state: State, hardwareId: string, dataCenterId: string, count: number): boolean {
  const free = changedStock(state, hardwareId)[dataCenterId];
  return free !== undefined && free < count;
}

/** The data centers that have some hardware in the catalog. */
export const dataCentersWith = ({ stock }: GpuData | CpuData): readonly string[] =>
  DATA_CENTERS.map(({ id }) => id).filter((id) => stock[id] !== undefined);
