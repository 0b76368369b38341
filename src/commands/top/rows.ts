/** The rows of top: what `-o` prints, and what the frame draws beside it. */
import { ofWorkers } from '../account/rate.ts';
import { sum } from '../../cli/money.ts';
import {
  itemsAt,
  type Json,
  type JsonObject,
  memberAt,
  numberAt,
  numberOf,
  objectAt,
  stringAt,
} from '../../core/json.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { plainText } from '../../output/cells.ts';
import { idOf } from '../../output/view.ts';
import type { Fleet, Sample } from './fleet.ts';

export interface Row {
  /** Kind and id. */
  readonly key: string;
  /** The name, after the id if several have that name. */
  readonly label: string;
  /** As the service sent it. */
  readonly document: Json;
  /** As `-o` prints it, but for the time: unknown members are null. */
  readonly data: JsonObject;
  /** Of the mean GPU use, or of the jobs that wait. */
  readonly history: readonly (number | undefined)[];
}

/** Undefined where not requested. */
export type TopRows = Readonly<Record<'pods' | 'endpoints', readonly Row[] | undefined>>;

/** `now` is monotonic. */
export function rowsOf(fleet: Fleet, now: Milliseconds): TopRows {
  const { shown, pods = [], endpoints = [] } = fleet;
  const costOf = (endpoint: Json): number | undefined => {
    const costs = ofWorkers(endpoint, fleet.otherCosts);
    return costs && (sum(costs).hourly?.low ?? 0);
  };
  return {
    pods: shown.pods
      ? rowsOfKind(fleet, now, 'pod', pods, (pod, samples) => ({
          own: podData(pod),
          history: samples.map(({ row }) => gpuMean(row, 'util')),
        }))
      : undefined,
    endpoints: shown.endpoints
      ? rowsOfKind(fleet, now, 'endpoint', endpoints, (endpoint, samples) => ({
          own: endpointData(endpoint, samples, costOf(endpoint)),
          history: samples.map(({ row }) => numberAt(row, 'jobs.inQueue')),
        }))
      : undefined,
  };
}

function rowsOfKind(
  { samples: kept, spent }: Fleet,
  now: Milliseconds,
  kind: string,
  documents: readonly Json[],
  of: (document: Json, samples: readonly Sample[]) => Pick<Row, 'history'> & { readonly own: JsonObject },
): readonly Row[] {
  const nameOf = (document: Json): string => stringAt(document, 'name') ?? idOf(document);
  const names = documents.map(nameOf);
  const shared = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return documents.map((document) => {
    const [id, name] = [idOf(document), nameOf(document)];
    const key = `${kind} ${id}`;
    const samples = kept.get(key) ?? [];
    const readAt = samples.at(-1)?.at;
    const { own, history } = of(document, samples);
    // Not in the report means 0, except for a pod of a cluster: its cluster is billed.
    const isBilled = spent !== undefined && stringAt(document, 'cluster.id') === undefined;
    const data = {
      kind,
      id,
      name,
      ...own,
      costToday: spent?.byId.get(id) ?? (isBilled ? 0 : null),
      createdAt: stringAt(document, 'createdAt') ?? null,
      readSecondsAgo: readAt === undefined ? null : Math.round((now - readAt) / 1000),
    };
    return { key, label: shared.has(name) ? `${id} ${name}` : name, document, data, history };
  });
}

const orNull = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : Math.round(value * 1000) / 1000;

/** Use in percent. */
const podData = (pod: Json): JsonObject => ({
  status: plainText(memberAt(pod, 'status')),
  gpuUtil: orNull(gpuMean(pod, 'util')),
  gpuMemoryUtil: orNull(gpuMean(pod, 'memoryUtil')),
  cpuUtil: orNull(numberAt(pod, 'runtime.cpu.util')),
  memoryUtil: orNull(numberAt(pod, 'runtime.memory.util')),
  costPerHour: orNull(numberAt(pod, 'cost')),
});

/** Over GPUs that report it; undefined if none does. */
function gpuMean(pod: Json, member: string): number | undefined {
  const values = itemsAt(pod, 'runtime.gpus').flatMap((gpu) => numberAt(gpu, member) ?? []);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function endpointData(endpoint: Json, samples: readonly Sample[], costPerHour: number | undefined): JsonObject {
  const health = samples.at(-1)?.row;
  const count = (path: string): number | null => orNull(numberAt(health, path));
  const workers = Object.entries(objectAt(health, 'workers') ?? {});
  return {
    type: plainText(memberAt(endpoint, 'type')),
    inQueue: count('jobs.inQueue'),
    inProgress: count('jobs.inProgress'),
    workers: Object.fromEntries(workers.filter(([, each]) => numberOf(each) !== undefined)),
    completed: count('jobs.completed'),
    failed: count('jobs.failed'),
    completedPerMinute: orNull(latestPerMinute(samples, 'jobs.completed')),
    failedPerMinute: orNull(latestPerMinute(samples, 'jobs.failed')),
    costPerHour: orNull(costPerHour),
  };
}

/** Of the last minute. Undefined for fewer than two samples, and where the counter is missing or decreased. */
function latestPerMinute(samples: readonly Sample[], path: string): number | undefined {
  const last = samples.at(-1);
  const recent = samples.filter(({ at }) => (last?.at ?? 0) - at <= MINUTE_MS);
  const [first] = recent.length < 2 ? samples.slice(-2) : recent;
  if (first === undefined || last === undefined || last.at <= first.at) return undefined;
  const [before, now] = [numberAt(first.row, path), numberAt(last.row, path)];
  return before === undefined || now === undefined || now < before
    ? undefined
    : ((now - before) * MINUTE_MS) / (last.at - first.at);
}

/** In the order of the `s` key. */
export const SORTS = ['cost', 'use', 'age', 'name'] as const;
export type Sort = (typeof SORTS)[number];

/** Largest first, the most important first. `cost`: stopped pods last, then cost an hour, then today. */
const SIZES: Readonly<Record<Sort, (data: JsonObject) => readonly (number | undefined)[]>> = {
  cost: (data) => [
    ['EXITED', 'TERMINATED'].includes(stringAt(data, 'status') ?? '') ? 0 : 1,
    numberAt(data, 'costPerHour'),
    numberAt(data, 'costToday'),
  ],
  use: (data) => [numberAt(data, 'gpuUtil') ?? (numberAt(data, 'inQueue') ?? -1) + (numberAt(data, 'inProgress') ?? 0)],
  age: (data) => [Date.parse(stringAt(data, 'createdAt') ?? '')],
  name: () => [],
};

export function listed({ pods, endpoints }: TopRows, sort: Sort): TopRows {
  // Unknown sorts below zero.
  const sizesOf = ({ data }: Row) => SIZES[sort](data).map((size = -1) => (Number.isFinite(size) ? size : -1));
  const byName = (a: Row, b: Row): number => (sortName(a) < sortName(b) ? -1 : 1);
  const bySize = (a: Row, b: Row): number => {
    const [sizes, others] = [sizesOf(a), sizesOf(b)];
    const at = sizes.findIndex((size, index) => size !== others[index]);
    return at < 0 ? byName(a, b) : (others[at] ?? 0) - (sizes[at] ?? 0);
  };
  return { pods: pods?.toSorted(bySize), endpoints: endpoints?.toSorted(bySize) };
}

const sortName = ({ data }: Row): string => `${stringAt(data, 'name') ?? ''}\n${stringAt(data, 'id') ?? ''}`;
