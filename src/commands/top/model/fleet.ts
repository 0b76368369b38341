import { type Json, memberAt, numberAt, stringAt } from '../../../core/json.ts';
import type { RateFacts } from '../../shared/rate/hourly-cost.ts';
import { idOf, type Sample } from '../../../output/view.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

/** What a request gave, and when, on the monotonic clock. */
export interface Reading<T> {
  readonly value: T;
  readonly at: Milliseconds;
}

/** What was billed since midnight UTC, in US dollars. */
export interface SpentToday {
  /** By the id of a pod or an endpoint. Pods of a cluster are not in it: their cluster is billed. */
  readonly byId: ReadonlyMap<string, number>;
  /** Of the whole account; of pods and clusters, or of endpoints, where `top` shows them alone. */
  readonly total: number;
}

/** What the rate is computed from beside pods and endpoints. */
export type OtherCosts = Omit<RateFacts, 'pods' | 'endpoints'>;

/** Everything that was read. It is never changed: `fleetAfter` returns another one. */
export interface Fleet {
  readonly pods?: Reading<readonly Json[]>;
  /** The requests that the last list of pods took, one for each page. */
  readonly podPages: number;
  readonly endpoints?: Reading<readonly Json[]>;
  /** Undefined inside where the key may not read it. */
  readonly spent?: Reading<SpentToday | undefined>;
  readonly otherCosts?: Reading<OtherCosts>;
  /** The use of each pod over time, by id; the rows have only the member `runtime`. */
  readonly use: ReadonlyMap<string, readonly Sample[]>;
  /** The health of each endpoint over time, by id. */
  readonly health: ReadonlyMap<string, readonly Sample[]>;
  /** When the health of an endpoint was last asked for without an answer, by id. */
  readonly failed: ReadonlyMap<string, number>;
}

export const EMPTY_FLEET: Fleet = { podPages: 1, use: new Map(), health: new Map(), failed: new Map() };

/** One answer. */
export type Read = { readonly at: Milliseconds } & (
  | { readonly kind: 'pods'; readonly rows: readonly Json[]; readonly pages?: number }
  | { readonly kind: 'endpoints'; readonly rows: readonly Json[] }
  | { readonly kind: 'health'; readonly id: string; readonly document: Json }
  | { readonly kind: 'no-health'; readonly id: string }
  | { readonly kind: 'spent'; readonly spent: SpentToday | undefined }
  | { readonly kind: 'other-costs'; readonly costs: OtherCosts }
);

/** Values that are remembered of each pod and endpoint. */
const MAX_SAMPLES = 60;
/** Pods whose history is remembered: it bounds the memory that a long list takes. */
const MAX_REMEMBERED = 500;

/** The fleet after an answer. What is no longer listed is forgotten. */
export function fleetAfter(fleet: Fleet, read: Read): Fleet {
  const { at } = read;
  switch (read.kind) {
    case 'pods': {
      const remembered = read.rows.slice(0, MAX_REMEMBERED);
      return {
        ...fleet,
        pods: { value: read.rows, at },
        podPages: read.pages ?? 1,
        use: new Map(
          remembered.map((row) => [idOf(row), added(fleet.use.get(idOf(row)), { row: runtimeOf(row), at })]),
        ),
      };
    }
    case 'endpoints': {
      const ids = new Set(read.rows.map(idOf));
      const listed = <T>(map: ReadonlyMap<string, T>) => new Map([...map].filter(([id]) => ids.has(id)));
      const { health, failed } = fleet;
      return { ...fleet, endpoints: { value: read.rows, at }, health: listed(health), failed: listed(failed) };
    }
    case 'health': {
      const samples = added(fleet.health.get(read.id), { row: read.document, at });
      return { ...fleet, health: new Map([...fleet.health, [read.id, samples]]) };
    }
    case 'no-health':
      return { ...fleet, failed: new Map([...fleet.failed, [read.id, at]]) };
    case 'spent':
      return { ...fleet, spent: { value: read.spent, at } };
    case 'other-costs':
      return { ...fleet, otherCosts: { value: read.costs, at } };
  }
}

const runtimeOf = (row: Json): Json => ({ runtime: memberAt(row, 'runtime') ?? null });

const added = (before: readonly Sample[] = [], sample: Sample): readonly Sample[] =>
  [...before, sample].slice(-MAX_SAMPLES);

/** Sums the records of a billing report by the id in the member `idMember`. */
export function spentById(records: readonly Json[], idMember: string): ReadonlyMap<string, number> {
  const spent = new Map<string, number>();
  for (const record of records) {
    const id = stringAt(record, idMember);
    const amount = numberAt(record, 'totalAmount');
    if (id !== undefined && amount !== undefined) spent.set(id, (spent.get(id) ?? 0) + amount);
  }
  return spent;
}
