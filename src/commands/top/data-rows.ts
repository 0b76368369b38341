import type { Json, JsonObject } from '../../core/json.ts';
import { text } from '../../output/cells/cell-functions.ts';
import type { View } from '../../output/view.ts';
import { endpointRows, podRows, type EndpointRow, type PodRow } from './model/rows.ts';
import type { Fleet } from './model/fleet.ts';
import { ordered, type Sort } from './model/order.ts';
import type { Shown } from './model/schedule.ts';

const MEMBERS = ['at', 'kind', 'id', 'name'];

/** The rows of `top` as data. */
export const topView: View = {
  noun: ['row', 'rows'],
  id: text('id'),
  members: MEMBERS,
  columns: [...MEMBERS, 'status', 'costToday'].map((member) => ({ header: member.toUpperCase(), show: text(member) })),
};

/**
 * All rows as data in an order, each with the service's time `at`. Members that are not known are null. `now` is
 * monotonic.
 */
export function dataRows(fleet: Fleet, shown: Shown, sort: Sort, at: number, now: number): readonly Json[] {
  const time = new Date(at).toISOString();
  return [
    ...(shown.pods ? ordered(podRows(fleet, now), sort, '').map((row) => podData(row, time)) : []),
    ...(shown.endpoints ? ordered(endpointRows(fleet, now), sort, '').map((row) => endpointData(row, time)) : []),
  ];
}

const orNull = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : Math.round(value * 1000) / 1000;

const readSecondsAgo = ({ readMs }: PodRow | EndpointRow): number | null =>
  orNull(readMs === undefined ? undefined : Math.round(readMs / 1000));

const podData = (row: PodRow, at: string): JsonObject => ({
  at,
  kind: 'pod',
  id: row.id,
  name: row.name,
  status: row.status,
  gpuUtil: orNull(row.gpu.now),
  gpuMemoryUtil: orNull(row.gpuMemory.now),
  cpuUtil: orNull(row.cpu),
  memoryUtil: orNull(row.memory),
  costPerHour: row.cost ?? null,
  costToday: row.spentToday ?? null,
  createdAt: row.createdAt ?? null,
  readSecondsAgo: readSecondsAgo(row),
});

const endpointData = (row: EndpointRow, at: string): JsonObject => ({
  at,
  kind: 'endpoint',
  id: row.id,
  name: row.name,
  type: row.type,
  inQueue: orNull(row.waiting.now),
  inProgress: orNull(row.running.now),
  workers: Object.fromEntries(row.workers),
  completed: orNull(row.completed),
  failed: orNull(row.failed),
  completedPerMinute: orNull(row.completedRate.now),
  failedPerMinute: orNull(row.failedRate.now),
  costPerHour: orNull(row.cost),
  costToday: row.spentToday ?? null,
  createdAt: row.createdAt ?? null,
  readSecondsAgo: readSecondsAgo(row),
});
