import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { type CpuData, CPUS, DATA_CENTERS, type GpuData, GPUS } from './hardware.ts';
import { createPart, noRecords, type Records, type State } from '../state/state.ts';

type Stock = Readonly<Record<string, number>>;

/** When a change holds: from `from` on, for `forMs`, and again after each `everyMs`. */
export interface Span {
  readonly from: EpochMs;
  readonly forMs: Milliseconds;
  readonly everyMs?: Milliseconds;
}

interface StockSpan extends Span {
  readonly hardware: string;
  readonly dataCenter: string;
  readonly free: number;
}

interface PriceChange {
  readonly hardware: string;
  readonly member: string;
  /** US dollars an hour. */
  readonly price: number;
  readonly span?: Span;
}

/** Permanent changes by hardware id; all other stock has the catalog's value. */
const changes = createPart<Records<Stock>>('stock', () => noRecords());
/** The last one counts. */
const spans = createPart<StockSpan[]>('stock-spans', () => []);
const prices = createPart<PriceChange[]>('prices', () => []);

export const gpusOf = (state: State): readonly GpuData[] => GPUS.map((gpu) => asChanged(state, gpu));

export const cpusOf = (state: State): readonly CpuData[] => CPUS.map((cpu) => asChanged(state, cpu));

const asChanged = <T extends GpuData | CpuData>(state: State, hardware: T): T => ({
  ...hardware,
  price: { ...hardware.price, ...pricesOf(state, hardware.id) },
  stock: { ...hardware.stock, ...changedStock(state, hardware.id) },
});

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

/** Without a span permanent, replacing what was set before. */
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

/** US dollars an hour. */
export function setPrice(
  state: State,
  hardware: string,
  members: readonly string[],
  price: number,
  span: Span | undefined,
): void {
  // A temporary price keeps the permanent one below it.
  const isReplaced = (each: PriceChange): boolean =>
    each.hardware === hardware && members.includes(each.member) && (span === undefined || each.span !== undefined);
  const kept = prices.of(state).filter((each) => !isReplaced(each));
  const added = members.map((member) => ({ hardware, member, price, ...(span === undefined ? {} : { span }) }));
  prices.replace(state, [...kept, ...added]);
}

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

export const dataCentersWith = ({ stock }: GpuData | CpuData): readonly string[] =>
  DATA_CENTERS.map(({ id }) => id).filter((id) => stock[id] !== undefined);
