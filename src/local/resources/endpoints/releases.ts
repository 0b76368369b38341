import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../core/json.ts';
import { laneOf, workersIn } from '../../queue/state/endpoint-queue.ts';
import { nextId, type State } from '../../state/state.ts';
import type { ContainerRecord, EndpointRecord, ReleaseRecord } from '../../model/endpoints/record.ts';

/** How many releases of an endpoint are remembered. */
const KEPT = 100;

/** The user that everything of the local service belongs to. */
const USER = 'user-local';

/** What an endpoint starts with: version 1, with nothing before it to differ from. */
export const firstRelease = (id: string, now: number): ReleaseRecord => ({ id, version: 1, createdAt: now, diff: [] });

/**
 * Gives an endpoint a container. Where it differs from the one it has, that makes a new release, and workers of the
 * older version are stale from now on (contract rules, Serverless endpoints).
 */
export function release(state: State, endpoint: EndpointRecord, container: ContainerRecord, now: number): void {
  const diff = differences(endpoint.container, container);
  if (diff.length === 0) return;
  endpoint.container = container;
  endpoint.version += 1;
  const added: ReleaseRecord = { id: nextId(state, 'rel'), version: endpoint.version, createdAt: now, diff };
  endpoint.releases = [added, ...endpoint.releases].slice(0, KEPT);
}

/** Field by field what differs, in the order of their names. */
function differences(before: ContainerRecord, after: ContainerRecord): ReleaseRecord['diff'] {
  const fields = ['args', 'disk', 'env', 'image', 'ports', 'registry'] as const;
  return fields
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, old: before[field], new: after[field] }));
}

/** An endpoint's releases as they are answered: newest first, and how far the latest has been rolled out. */
export function releasesDocument(state: State, endpoint: EndpointRecord): Json {
  const workers = workersIn(laneOf(state, endpoint.id));
  const onVersion = (version: number): number => workers.filter((worker) => worker.version === version).length;
  const workersOnLatest = onVersion(endpoint.version);
  const workersTotal = workers.length;
  return {
    endpointVersion: endpoint.version,
    rollout: {
      inProgress: workersOnLatest < workersTotal,
      workersOnLatest,
      workersTotal,
      // Whoever starts next starts on the latest: without a worker nothing is left to roll out.
      percentOnLatest: workersTotal === 0 ? 100 : Math.floor((100 * workersOnLatest) / workersTotal),
    },
    releases: endpoint.releases.map(({ id, version, createdAt, diff }) => ({
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
