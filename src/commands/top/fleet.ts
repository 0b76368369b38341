import type { RateFacts } from '../../cli/money/hourly-cost.ts';
import { type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { idOf, type Sample } from '../../output/view.ts';

/** `at` is monotonic. */
interface Reading<T> {
  readonly value: T;
  readonly at: Milliseconds;
}

/** US dollars since midnight UTC. */
interface SpentToday {
  /** Without pods of a cluster: the cluster is billed. */
  readonly byId: ReadonlyMap<string, number>;
  /** Of the account, or of only what `top` shows. */
  readonly total: number;
}

type OtherCosts = Omit<RateFacts, 'pods' | 'endpoints'>;

/** Immutable: `fleetAfter` returns another one. */
export interface Fleet {
  readonly pods?: Reading<readonly Json[]>;
  readonly podPages: number;
  readonly endpoints?: Reading<readonly Json[]>;
  /** Inner undefined: the key may not read it. */
  readonly spent?: Reading<SpentToday | undefined>;
  readonly otherCosts?: Reading<OtherCosts>;
  /** By pod id; samples have only `runtime`. */
  readonly use: ReadonlyMap<string, readonly Sample[]>;
  readonly health: ReadonlyMap<string, readonly Sample[]>;
  /** Time of the last failed read, by id. */
  readonly failed: ReadonlyMap<string, number>;
}

export const EMPTY_FLEET: Fleet = { podPages: 1, use: new Map(), health: new Map(), failed: new Map() };

export type Read = { readonly at: Milliseconds } & (
  | { readonly kind: 'pods'; readonly rows: readonly Json[]; readonly pages?: number }
  | { readonly kind: 'endpoints'; readonly rows: readonly Json[] }
  | { readonly kind: 'health'; readonly id: string; readonly document: Json }
  | { readonly kind: 'no-health'; readonly id: string }
  | { readonly kind: 'spent'; readonly spent: SpentToday | undefined }
  | { readonly kind: 'other-costs'; readonly costs: OtherCosts }
);

const MAX_SAMPLES = 60;
/** Bounds the memory of a long list. */
const MAX_REMEMBERED = 500;

/** Drops what the lists no longer have. */
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

export function spentById(records: readonly Json[], idMember: string): ReadonlyMap<string, number> {
  const spent = new Map<string, number>();
  for (const record of records) {
    const id = stringAt(record, idMember);
    const amount = numberAt(record, 'totalAmount');
    if (id !== undefined && amount !== undefined) spent.set(id, (spent.get(id) ?? 0) + amount);
  }
  return spent;
}
