import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../core/json.ts';
import type { Call } from '../../http/call/operation.ts';
import { pageOf } from '../../http/requests/pages.ts';
import { queueOf, workersIn } from '../../queue/state/endpoint-queue.ts';
import { nextId, type State } from '../../state/state.ts';
import type { ContainerRecord } from '../../model/container.ts';
import type { EndpointRecord, ReleaseRecord } from '../../model/endpoints/record.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** How many releases of an endpoint are kept. */
const MAX_RELEASES = 100;

/** The only user of the local service. */
const USER = 'user-local';

/**
 * Sets an endpoint's container. When it differs from the current one, this makes a new release, and the workers of older
 * versions become stale (contract rules, Serverless endpoints).
 */
export function addRelease(state: State, endpoint: EndpointRecord, container: ContainerRecord, now: EpochMs): void {
  const diff = differences(endpoint.container, container);
  if (diff.length === 0) return;
  endpoint.container = container;
  release(state, endpoint, diff, now);
}

/** Makes a new release because the files of the program that serves the endpoint have changed. */
export function releaseFiles(state: State, endpoint: EndpointRecord, now: EpochMs): void {
  release(state, endpoint, [{ field: 'files', old: null, new: new Date(now).toISOString() }], now);
}

function release(state: State, endpoint: EndpointRecord, diff: ReleaseRecord['diff'], now: EpochMs): void {
  endpoint.version += 1;
  const added: ReleaseRecord = { id: nextId(state, 'rel'), version: endpoint.version, createdAt: now, diff };
  endpoint.releases = [added, ...endpoint.releases].slice(0, MAX_RELEASES);
}

/** The fields that differ, by name. */
function differences(before: ContainerRecord, after: ContainerRecord): ReleaseRecord['diff'] {
  const fields = ['args', 'disk', 'env', 'image', 'ports', 'registry'] as const;
  return fields
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, old: before[field], new: after[field] }));
}

/** A text that sorts as the number does. */
const versionText = (version: number): string => String(version).padStart(12, '0');

/** A page of an endpoint's releases, newest first, and the progress of the latest rollout as it is now. */
export function releasesDocument(state: State, endpoint: EndpointRecord, call: Call): Json {
  // Two of the same millisecond are in the order of their versions.
  const positioned = endpoint.releases.map((each) => ({ ...each, release: each.id, id: versionText(each.version) }));
  const { rows, pagination } = pageOf(state, call, positioned.toReversed());
  const workers = workersIn(queueOf(state, endpoint.id));
  const onVersion = (version: number): number => workers.filter((worker) => worker.version === version).length;
  const workersOnLatest = onVersion(endpoint.version);
  const workersTotal = workers.length;
  return {
    endpointVersion: endpoint.version,
    rollout: {
      inProgress: workersOnLatest < workersTotal,
      workersOnLatest,
      workersTotal,
      // New workers use the latest version: without workers the rollout is complete.
      percentOnLatest: workersTotal === 0 ? 100 : Math.floor((100 * workersOnLatest) / workersTotal),
    },
    pagination,
    releases: rows.map(({ release: id, version, createdAt, diff }) => ({
      id,
      version,
      source: 'MANUAL',
      buildId: null,
      createdByUserId: USER,
      workerCount: onVersion(version),
      createdAt: new Date(createdAt).toISOString(),
      diff: diff as Json[],
    })),
  };
}
