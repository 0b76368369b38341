import { itemsAt, type Json, memberAt, numberAt, numberOf, objectAt, stringAt } from '../../../core/json.ts';
import { plainText } from '../../../output/cells/cell-functions.ts';
import { idOf, type Sample } from '../../../output/view.ts';
import { RATE_PARTS, rateOf, type Rate, type RateFacts, type RatePart } from '../../shared/rate/hourly-cost.ts';
import { latestPerMinute, perMinute, valuesOf } from '../../shared/history.ts';
import { type Fleet } from './fleet.ts';
import type { Shown } from './schedule.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

/** A number now and over time. */
export interface Series {
  readonly now: Milliseconds | undefined;
  readonly history: readonly (number | undefined)[];
}

interface RowBase {
  readonly id: string;
  readonly name: string;
  /** Its name; with its id before it where several have that name. */
  readonly label: string;
  /** What the service said of it. */
  readonly document: Json;
  readonly createdAt: string | undefined;
  /** US dollars an hour: of a pod, or of the workers of an endpoint. */
  readonly cost: number | undefined;
  /** US dollars since midnight UTC; undefined where it is not known, as of a pod of a cluster, whose cluster is billed. */
  readonly spentToday: number | undefined;
  /** The time since its numbers were read; undefined where they were not. */
  readonly readMs: Milliseconds | undefined;
  readonly samples: readonly Sample[];
}

/** A pod. Use is in percent; `gpu` and `gpuMemory` are the mean of its GPUs. */
export interface PodRow extends RowBase {
  readonly kind: 'pod';
  readonly status: string;
  readonly gpu: Series;
  readonly gpuMemory: Series;
  readonly cpu: number | undefined;
  readonly memory: number | undefined;
}

/** An endpoint. The rates are jobs a minute: `now` over the last minute, `history` between two reads. */
export interface EndpointRow extends RowBase {
  readonly kind: 'endpoint';
  readonly type: string;
  readonly waiting: Series;
  readonly running: Series;
  /** Workers by state, as the service names the states; empty where they are not known. */
  readonly workers: readonly (readonly [state: string, count: number])[];
  readonly completed: number | undefined;
  readonly failed: number | undefined;
  readonly completedRate: Series;
  readonly failedRate: Series;
}

export type Row = PodRow | EndpointRow;

/** `now` is the monotonic time. */
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

/** The mean over all GPUs of a pod that report the member; undefined where none does. */
function meanOf(pod: Json, member: string): number | undefined {
  const values = itemsAt(pod, 'runtime.gpus').flatMap((gpu) => numberAt(gpu, member) ?? []);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** `now` is the monotonic time. */
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

/** What rows are called: by their names, and by their ids too where several have one name. */
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
    // Nothing was billed for what a report does not name, except for a pod of a cluster: its cluster is billed.
    spentToday: spent?.value?.byId.get(id) ?? (spent?.value === undefined || isOfCluster(document) ? undefined : 0),
    readMs,
    samples,
  };
}

const isOfCluster = (pod: Json): boolean => stringAt(pod, 'cluster.id') !== undefined;

export interface Totals {
  readonly pods: number;
  readonly endpoints: number;
  /** What an hour costs; of the account, or of what is shown. */
  readonly rate: Rate;
  /** US dollars since midnight UTC; of the account, or of what is shown. Undefined where that is not known. */
  readonly spentToday: number | undefined;
  readonly waiting: number;
  readonly running: number;
  readonly completedRate: number | undefined;
  readonly failedRate: number | undefined;
}

/** What the rate is computed from, as far as it was read. */
const rateFacts = ({ pods, endpoints, otherCosts }: Fleet): RateFacts => ({
  ...(otherCosts?.value ?? { volumes: undefined, workers: new Map(), gpus: [], cpus: [] }),
  pods: pods?.value,
  endpoints: endpoints?.value,
});

/** The parts of the rate: all of them where everything is shown. */
const shownParts = ({ pods, endpoints }: Shown): readonly RatePart[] =>
  pods && endpoints ? RATE_PARTS : pods ? ['pods', 'clusters'] : ['workers'];

/** The sums over everything that was read, whatever filter hides some of it. `now` is the monotonic time. */
export function totalsOf(fleet: Fleet, shown: Shown, now: Milliseconds): Totals {
  const { spent } = fleet;
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
