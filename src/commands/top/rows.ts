import { rateOf } from '../../cli/rate.ts';
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
import type { Milliseconds } from '../../core/unit-types.ts';
import { plainText } from '../../output/cells.ts';
import { latestPerMinute, valuesOf } from '../../output/samples.ts';
import { idOf, type Sample } from '../../output/view.ts';
import type { Fleet } from './fleet.ts';

export interface Row {
  /** Kind and id. */
  readonly key: string;
  readonly kind: 'pod' | 'endpoint';
  /** The name, after the id if several have that name. */
  readonly label: string;
  /** As the service sent it. */
  readonly document: Json;
  /** As `-o` prints it, but for the time: unknown members are null. */
  readonly data: JsonObject;
  readonly samples: readonly Sample[];
  /** Of the mean GPU use, or of the jobs that wait. */
  readonly history: readonly (number | undefined)[];
}

export interface TopRows {
  /** Undefined if not requested. */
  readonly pods: readonly Row[] | undefined;
  readonly endpoints: readonly Row[] | undefined;
}

/** `now` is monotonic. */
export function rowsOf(fleet: Fleet, now: Milliseconds): TopRows {
  const rateFacts = { ...fleet.otherCosts, pods: undefined, endpoints: fleet.endpoints };
  const costs = rateOf(rateFacts, ['workers']).endpoints;
  return {
    pods: fleet.shown.pods
      ? rowsOfKind(fleet, 'pod', fleet.pods ?? [], now, (pod, samples) => ({
          data: podData(pod),
          costPerHour: numberAt(pod, 'cost'),
          history: samples.map(({ row }) => gpuMean(row, 'util')),
        }))
      : undefined,
    endpoints: fleet.shown.endpoints
      ? rowsOfKind(fleet, 'endpoint', fleet.endpoints ?? [], now, (endpoint, samples) => ({
          data: endpointData(endpoint, samples),
          costPerHour: costs.get(idOf(endpoint)),
          history: valuesOf(samples, 'jobs.inQueue'),
        }))
      : undefined,
  };
}

interface OwnPart extends Pick<Row, 'data' | 'history'> {
  readonly costPerHour: number | undefined;
}

function rowsOfKind(
  { samples: allSamples, spent }: Fleet,
  kind: Row['kind'],
  documents: readonly Json[],
  now: Milliseconds,
  own: (document: Json, samples: readonly Sample[]) => OwnPart,
): readonly Row[] {
  const seen = new Map<string, number>();
  for (const name of documents.map(nameOf)) seen.set(name, (seen.get(name) ?? 0) + 1);
  return documents.map((document) => {
    const [id, name] = [idOf(document), nameOf(document)];
    const samples = allSamples.get(`${kind} ${id}`) ?? [];
    const readAt = samples.at(-1)?.at;
    const { data, costPerHour, history } = own(document, samples);
    // Not in the report means 0, except for a pod of a cluster: its cluster is billed.
    const isBilled = spent !== undefined && stringAt(document, 'cluster.id') === undefined;
    return {
      key: `${kind} ${id}`,
      kind,
      label: (seen.get(name) ?? 0) > 1 ? `${id} ${name}` : name,
      document,
      samples,
      history,
      data: {
        ...{ kind, id, name, ...data, costPerHour: orNull(costPerHour) },
        costToday: spent?.byId.get(id) ?? (isBilled ? 0 : null),
        createdAt: stringAt(document, 'createdAt') ?? null,
        readSecondsAgo: readAt === undefined ? null : Math.round((now - readAt) / 1000),
      },
    };
  });
}

const nameOf = (document: Json): string => stringAt(document, 'name') ?? idOf(document);

const orNull = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : Math.round(value * 1000) / 1000;

/** Percent. */
const podData = (pod: Json): JsonObject => ({
  status: plainText(memberAt(pod, 'status')),
  gpuUtil: orNull(gpuMean(pod, 'util')),
  gpuMemoryUtil: orNull(gpuMean(pod, 'memoryUtil')),
  cpuUtil: orNull(numberAt(pod, 'runtime.cpu.util')),
  memoryUtil: orNull(numberAt(pod, 'runtime.memory.util')),
});

/** Over GPUs that report it; undefined if none does. */
function gpuMean(pod: Json, member: string): number | undefined {
  const values = itemsAt(pod, 'runtime.gpus').flatMap((gpu) => numberAt(gpu, member) ?? []);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function endpointData(endpoint: Json, samples: readonly Sample[]): JsonObject {
  const health = samples.at(-1)?.row;
  const count = (path: string): number | null => orNull(numberAt(health, path));
  const workers = Object.entries(objectAt(health, 'workers') ?? {});
  return {
    type: plainText(memberAt(endpoint, 'type')),
    inQueue: count('jobs.inQueue'),
    inProgress: count('jobs.inProgress'),
    workers: Object.fromEntries(
      workers.flatMap(([state, each]) => (numberOf(each) === undefined ? [] : [[state, each]])),
    ),
    completed: count('jobs.completed'),
    failed: count('jobs.failed'),
    completedPerMinute: orNull(latestPerMinute(samples, 'jobs.completed')),
    failedPerMinute: orNull(latestPerMinute(samples, 'jobs.failed')),
  };
}

/** In the order of the `s` key. */
export const SORTS = ['cost', 'use', 'age', 'name'] as const;
export type Sort = (typeof SORTS)[number];

/** Largest first, the most important first. `cost`: stopped pods last, then cost an hour, then today. */
const SIZES: Readonly<Record<Sort, (data: JsonObject) => readonly (number | undefined)[]>> = {
  cost: (data) => [isStopped(data) ? 0 : 1, numberAt(data, 'costPerHour'), numberAt(data, 'costToday')],
  use: (data) => [numberAt(data, 'gpuUtil') ?? (numberAt(data, 'inQueue') ?? -1) + (numberAt(data, 'inProgress') ?? 0)],
  age: (data) => [Date.parse(stringAt(data, 'createdAt') ?? '')],
  name: () => [],
};

const isStopped = (data: JsonObject): boolean => ['EXITED', 'TERMINATED'].includes(stringAt(data, 'status') ?? '');

/** The filter matches name, id, status or type, in any case. */
export function listed({ pods, endpoints }: TopRows, sort: Sort, filter = ''): TopRows {
  return { pods: pods && ordered(pods, sort, filter), endpoints: endpoints && ordered(endpoints, sort, filter) };
}

function ordered(rows: readonly Row[], sort: Sort, filter: string): readonly Row[] {
  const matches = (data: JsonObject): boolean =>
    ['name', 'id', 'status', 'type'].some((member) =>
      stringAt(data, member)?.toLowerCase().includes(filter.toLowerCase()),
    );
  const sized = rows
    .filter(({ data }) => matches(data))
    .map((row) => ({ row, sizes: SIZES[sort](row.data).map(known) }));
  return sized
    .sort((a, b) => {
      const at = a.sizes.findIndex((size, index) => size !== b.sizes[index]);
      return at === -1 ? compare(sortName(a.row), sortName(b.row)) : (b.sizes[at] ?? 0) - (a.sizes[at] ?? 0);
    })
    .map(({ row }) => row);
}

/** Unknown sorts below zero. */
const known = (size: number | undefined): number => (size === undefined || !Number.isFinite(size) ? -1 : size);

const sortName = ({ data }: Row): string => `${stringAt(data, 'name') ?? ''}\n${stringAt(data, 'id') ?? ''}`;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
