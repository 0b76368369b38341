import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { type CpuData, CPUS, DATA_CENTERS, type GpuData, GPUS } from './hardware.ts';
import { createPart, type State } from '../state/state.ts';

/** When a change holds: from `from` on, for `forMs`, and again after each `everyMs`. */
export interface Span {
  readonly from: EpochMs;
  readonly forMs: Milliseconds;
  readonly everyMs?: Milliseconds;
}

/** What is free in a data center, or a price in US dollars an hour. */
interface Change {
  readonly hardware: string;
  readonly of: 'stock' | 'price';
  /** The data center, or the member of the catalog's prices. */
  readonly member: string;
  readonly value: number;
  /** Absent for good. */
  readonly span?: Span;
}

/** All else has the catalog's value. The last one counts. */
const changes = createPart<Change[]>('hardware', () => []);

const changed = (state: State, hardwareId: string, of: Change['of']): Readonly<Partial<Record<string, number>>> =>
  Object.fromEntries(
    changes
      .of(state)
      .filter((each) => each.hardware === hardwareId && each.of === of && holds(each.span, state.asOf))
      .map(({ member, value }) => [member, value]),
  );

const asChanged = <T extends GpuData | CpuData>(state: State, hardware: T): T => ({
  ...hardware,
  price: { ...hardware.price, ...changed(state, hardware.id, 'price') },
  stock: { ...hardware.stock, ...changed(state, hardware.id, 'stock') },
});

export const gpusOf = (state: State): readonly GpuData[] => GPUS.map((gpu) => asChanged(state, gpu));
export const cpusOf = (state: State): readonly CpuData[] => CPUS.map((cpu) => asChanged(state, cpu));

function holds(span: Span | undefined, now: EpochMs): boolean {
  if (span === undefined) return true;
  const since = now - span.from;
  return since >= 0 && (span.everyMs === undefined ? since : since % span.everyMs) < span.forMs;
}

/** The last time at which a change begins or ends, after `after` and up to `now`; undefined without one. */
export function lastStockTurn(state: State, after: number, now: EpochMs): number | undefined {
  const turns = changes.of(state).flatMap(({ span }) => {
    if (span === undefined) return [];
    const { from, forMs, everyMs } = span;
    const begun = everyMs === undefined ? from : from + Math.floor((now - from) / everyMs) * everyMs;
    return [begun, begun + forMs, begun - (everyMs ?? 0) + forMs].filter((at) => at > after && at <= now);
  });
  return turns.length === 0 ? undefined : Math.max(...turns);
}

/** For good in place of all that was set before; with a span over what was set for good. */
export function changeHardware(state: State, members: readonly string[], change: Omit<Change, 'member'>): void {
  const { hardware, of, span } = change;
  const isReplaced = (each: Change): boolean =>
    each.hardware === hardware &&
    each.of === of &&
    members.includes(each.member) &&
    (span === undefined || each.span !== undefined);
  const kept = changes.of(state).filter((each) => !isReplaced(each));
  changes.replace(state, [...kept, ...members.map((member) => ({ ...change, member }))]);
}

export const resetHardware = (state: State): void => {
  changes.replace(state, []);
};

/** Whether `berth local stock set` has left less than `count` of some hardware in a data center. */
export const isTaken = (state: State, hardwareId: string, dataCenterId: string, count: number): boolean =>
  (changed(state, hardwareId, 'stock')[dataCenterId] ?? Infinity) < count;

export const dataCentersWith = ({ stock }: GpuData | CpuData): readonly string[] =>
  DATA_CENTERS.map(({ id }) => id).filter((id) => stock[id] !== undefined);
