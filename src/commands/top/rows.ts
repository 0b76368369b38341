import { type Rate, RATE_PARTS, type RateFacts, rateOf, type RatePart } from '../../cli/money/hourly-cost.ts';
import type { Fleet, Shown } from './fleet.ts';
import { itemsAt, type Json, memberAt, numberAt, numberOf, objectAt, stringAt } from '../../core/json.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { plainText } from '../../output/cells.ts';
import { latestPerMinute, perMinute, valuesOf } from '../../output/samples.ts';
import { idOf, type Sample } from '../../output/view.ts';

export interface Series {
  readonly now: Milliseconds | undefined;
  readonly history: readonly (number | undefined)[];
}

interface RowBase {
  readonly id: string;
  readonly name: string;
  /** With the id if several have that name. */
  readonly label: string;
  readonly document: Json;
  readonly createdAt: string | undefined;
  /** US dollars an hour; for an endpoint, of its workers. */
  readonly cost: number | undefined;
  /** US dollars since midnight UTC; undefined for a pod of a cluster, whose cluster is billed. */
  readonly spentToday: number | undefined;
  readonly readMs: Milliseconds | undefined;
  readonly samples: readonly Sample[];
}

/** Percent; mean over its GPUs. */
export interface PodRow extends RowBase {
  readonly kind: 'pod';
  readonly status: string;
  readonly gpu: Series;
  readonly gpuMemory: Series;
  readonly cpu: number | undefined;
  readonly memory: number | undefined;
}

/** Jobs a minute: `now` over the last minute, `history` between two reads. */
export interface EndpointRow extends RowBase {
  readonly kind: 'endpoint';
  readonly type: string;
  readonly waiting: Series;
  readonly running: Series;
  /** Empty if unknown. */
  readonly workers: readonly (readonly [state: string, count: number])[];
  readonly completed: number | undefined;
  readonly failed: number | undefined;
  readonly completedRate: Series;
  readonly failedRate: Series;
}

export type Row = PodRow | EndpointRow;

/** `now` is monotonic. */
export function podRows(fleet: Fleet, now: Milliseconds): readonly PodRow[] {
  const documents = fleet.pods?.value ?? [];
  const labelOf = labels(documents);
  return documents.map((document): PodRow => {
    const id = idOf(document);
    const samples = fleet.use.get(id) ?? [];
    const mean = (member: string): Series => {
      const history = samples.map(({ row }) => meanOf(row, member));
      return { now: meanOf(document, member), history };
    };
    return {
      ...baseOf(document, fleet, samples, fleet.pods === undefined ? undefined : now - fleet.pods.at),
      label: labelOf(document),
      kind: 'pod',
      status: plainText(memberAt(document, 'status')),
      gpu: mean('util'),
      gpuMemory: mean('memoryUtil'),
      cpu: numberAt(document, 'runtime.cpu.util'),
      memory: numberAt(document, 'runtime.memory.util'),
      cost: numberAt(document, 'cost'),
    };
  });
}

/** Over GPUs that report it; undefined if none does. */
function meanOf(pod: Json, member: string): number | undefined {
  const values = itemsAt(pod, 'runtime.gpus').flatMap((gpu) => numberAt(gpu, member) ?? []);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** `now` is monotonic. */
export function endpointRows(fleet: Fleet, now: Milliseconds): readonly EndpointRow[] {
  const costs = rateOf(rateFacts(fleet), ['workers']).endpoints;
  const documents = fleet.endpoints?.value ?? [];
  const labelOf = labels(documents);
  return documents.map((document): EndpointRow => {
    const samples = fleet.health.get(idOf(document)) ?? [];
    const last = samples.at(-1);
    const count = (path: string): number | undefined => (last === undefined ? undefined : numberAt(last.row, path));
    const depth = (path: string): Series => ({ now: count(path), history: valuesOf(samples, path) });
    const rate = (path: string): Series => ({
      now: latestPerMinute(samples, path),
      history: perMinute(samples, path),
    });
    return {
      ...baseOf(document, fleet, samples, last === undefined ? undefined : now - last.at),
      label: labelOf(document),
      kind: 'endpoint',
      type: plainText(memberAt(document, 'type')),
      waiting: depth('jobs.inQueue'),
      running: depth('jobs.inProgress'),
      workers: workersOf(last?.row),
      completed: count('jobs.completed'),
      failed: count('jobs.failed'),
      completedRate: rate('jobs.completed'),
      failedRate: rate('jobs.failed'),
      cost: costs.get(idOf(document)),
    };
  });
}

const workersOf = (health: Json | undefined): EndpointRow['workers'] =>
  Object.entries(objectAt(health, 'workers') ?? {}).flatMap(([state, count]) => {
    const known = numberOf(count);
    return known === undefined ? [] : [[state, known] as const];
  });

const nameOf = (document: Json): string => stringAt(document, 'name') ?? idOf(document);

/** Names, with ids if several have one name. */
function labels(documents: readonly Json[]): (document: Json) => string {
  const seen = new Map<string, number>();
  for (const name of documents.map(nameOf)) seen.set(name, (seen.get(name) ?? 0) + 1);
  return (document) => {
    const name = nameOf(document);
    return seen.get(name) === 1 ? name : `${idOf(document)} ${name}`;
  };
}

function baseOf(
  document: Json,
  { spent }: Fleet,
  samples: readonly Sample[],
  readMs: Milliseconds | undefined,
): Omit<RowBase, 'cost' | 'label'> {
  const id = idOf(document);
  return {
    id,
    name: nameOf(document),
    document,
    createdAt: stringAt(document, 'createdAt'),
    // Not in the report means 0, except for a pod of a cluster: its cluster is billed.
    spentToday: spent?.value?.byId.get(id) ?? (spent?.value === undefined || isOfCluster(document) ? undefined : 0),
    readMs,
    samples,
  };
}

const isOfCluster = (pod: Json): boolean => stringAt(pod, 'cluster.id') !== undefined;

export interface Totals {
  readonly pods: number;
  readonly endpoints: number;
  readonly rate: Rate;
  /** US dollars since midnight UTC; undefined if unknown. */
  readonly spentToday: number | undefined;
  readonly waiting: number;
  readonly running: number;
  readonly completedRate: number | undefined;
  readonly failedRate: number | undefined;
}

const rateFacts = ({ pods, endpoints, otherCosts }: Fleet): RateFacts => ({
  ...(otherCosts?.value ?? { volumes: undefined, workers: new Map(), gpus: [], cpus: [] }),
  pods: pods?.value,
  endpoints: endpoints?.value,
});

const shownParts = ({ pods, endpoints }: Shown): readonly RatePart[] =>
  pods && endpoints ? RATE_PARTS : pods ? ['pods', 'clusters'] : ['workers'];

/** Ignores the filter. `now` is monotonic. */
export function totalsOf(fleet: Fleet, now: Milliseconds): Totals {
  const { spent, shown } = fleet;
  const [pods, endpoints] = [podRows(fleet, now), endpointRows(fleet, now)];
  const sum = (values: readonly (number | undefined)[]): number =>
    values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const sumOfKnown = (values: readonly (number | undefined)[]): number | undefined =>
    values.every((value) => value === undefined) ? undefined : sum(values);
  return {
    pods: pods.length,
    endpoints: endpoints.length,
    rate: rateOf(rateFacts(fleet), shownParts(shown)),
    // What was deleted today has no row, but its cost counts.
    spentToday: spent?.value?.total,
    waiting: sum(endpoints.map(({ waiting }) => waiting.now)),
    running: sum(endpoints.map(({ running }) => running.now)),
    completedRate: sumOfKnown(endpoints.map(({ completedRate }) => completedRate.now)),
    failedRate: sumOfKnown(endpoints.map(({ failedRate }) => failedRate.now)),
  };
}

/** In the order of the `s` key. Largest first, names A to Z, newest first. */
export const SORTS = ['cost', 'use', 'age', 'name'] as const;
export type Sort = (typeof SORTS)[number];

/** Most important first. `cost`: hour, then today, stopped last; `use`: GPU, or waiting and running jobs. */
const SIZES: Readonly<Record<Exclude<Sort, 'name'>, (row: Row) => readonly (number | undefined)[]>> = {
  cost: (row) => [isStopped(row) ? 0 : 1, row.cost, row.spentToday],
  use: (row) => [row.kind === 'pod' ? row.gpu.now : (row.waiting.now ?? 0) + (row.running.now ?? 0)],
  age: (row) => [row.createdAt === undefined ? undefined : Date.parse(row.createdAt)],
};

const isStopped = (row: Row): boolean => row.kind === 'pod' && ['EXITED', 'TERMINATED'].includes(row.status);

/** The filter matches name, id or status, in any case. */
export function ordered<R extends PodRow | EndpointRow>(rows: readonly R[], sort: Sort, filter: string): readonly R[] {
  const wanted = filter.toLowerCase();
  const kept = rows.filter((row) =>
    [row.name, row.id, row.kind === 'pod' ? row.status : row.type].some((text) => text.toLowerCase().includes(wanted)),
  );
  const byName = (a: R, b: R): number => compare(a.name, b.name) || compare(a.id, b.id);
  if (sort === 'name') return [...kept].sort(byName);
  return kept
    .map((row) => ({ row, sizes: SIZES[sort](row) }))
    .sort((a, b) => compareSizes(b.sizes, a.sizes) || byName(a.row, b.row))
    .map(({ row }) => row);
}

/** Unknown sorts below zero. */
const compareSizes = (a: readonly (number | undefined)[], b: readonly (number | undefined)[]): number => {
  const at = a.findIndex((size, index) => known(size) !== known(b[index]));
  return at === -1 ? 0 : known(a[at]) - known(b[at]);
};

const known = (size: number | undefined): number => (size === undefined || !Number.isFinite(size) ? -1 : size);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export interface TopRows {
  /** Undefined if not requested. */
  readonly pods: readonly PodRow[] | undefined;
  readonly endpoints: readonly EndpointRow[] | undefined;
  /** Of all rows, also of those that the filter hides. */
  readonly totals: Totals;
}

/** `now` is monotonic. */
export const rowsOf = (fleet: Fleet, sort: Sort, filter: string, now: Milliseconds): TopRows => ({
  pods: fleet.shown.pods ? ordered(podRows(fleet, now), sort, filter) : undefined,
  endpoints: fleet.shown.endpoints ? ordered(endpointRows(fleet, now), sort, filter) : undefined,
  totals: totalsOf(fleet, now),
});

export const rowKey = ({ kind, id }: Row): string => `${kind} ${id}`;
