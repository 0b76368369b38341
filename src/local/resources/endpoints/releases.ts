import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../core/json.ts';
import type { EpochMs } from '../../../core/unit-types.ts';
import { notFound } from '../../contract/problem.ts';
import type { Call } from '../../http/operation.ts';
import { pageOf } from '../../http/pages.ts';
import type { ContainerRecord } from '../../model/container.ts';
import { type BuildRecord, builds, type EndpointRecord, type ReleaseRecord } from '../../model/endpoints.ts';
import { queueOf, workersIn } from '../../queue/records.ts';
import { nextId, type State } from '../../state/state.ts';

const MAX_RELEASES = 100;

const USER = 'user-local';

/** A changed container makes a release; older workers become stale (rules, Serverless endpoints). */
export function addRelease(state: State, endpoint: EndpointRecord, container: ContainerRecord, now: EpochMs): void {
  const diff = differences(endpoint.container, container);
  if (diff.length === 0) return;
  endpoint.container = container;
  release(state, endpoint, diff, now);
}

/** A new release because the files of the serving program have changed. */
export function releaseFiles(state: State, endpoint: EndpointRecord, now: EpochMs): void {
  release(state, endpoint, [{ field: 'files', old: null, new: new Date(now).toISOString() }], now);
}

function release(state: State, endpoint: EndpointRecord, diff: ReleaseRecord['diff'], now: EpochMs): void {
  endpoint.version += 1;
  const added: ReleaseRecord = { id: nextId(state, 'rel'), version: endpoint.version, createdAt: now, diff };
  endpoint.releases = [added, ...endpoint.releases].slice(0, MAX_RELEASES);
}

function differences(before: ContainerRecord, after: ContainerRecord): ReleaseRecord['diff'] {
  const fields = ['args', 'disk', 'env', 'image', 'ports', 'registry'] as const;
  return fields
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, old: before[field], new: after[field] }));
}

/** A text that sorts as the number does. */
const versionText = (version: number): string => String(version).padStart(12, '0');

/** Newest first. */
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

const documentOf = ({ endpointId: _endpoint, createdAt: _createdAt, ...shown }: BuildRecord): Json => shown;

export function buildsDocument(state: State, endpoint: EndpointRecord, call: Call): Json {
  const ofEndpoint = builds.all(state).filter(({ endpointId }) => endpointId === endpoint.id);
  const { rows, pagination } = pageOf(state, call, ofEndpoint);
  return { builds: rows.map(documentOf), pagination };
}

/** Throws the 404 Problem when the endpoint has no such build. */
export function buildDocument(state: State, endpoint: EndpointRecord, id: string): Json {
  const build = builds.get(state, id);
  if (build?.endpointId !== endpoint.id) throw notFound('build not found');
  return documentOf(build);
}

/** Absent members are as the status has them. */
export interface BuildBody extends Partial<Omit<BuildRecord, 'endpointId' | 'createdAt'>> {
  readonly status: BuildRecord['status'];
}

const FINAL: readonly BuildRecord['status'][] = ['COMPLETED', 'FAILED', 'CANCELLED', 'TEST_FAILED'];

export function putBuild(state: State, { id: endpointId }: EndpointRecord, body: BuildBody, now: EpochMs): Json {
  const { id = nextId(state, 'build'), status } = body;
  const previous = builds.get(state, id);
  const time = new Date(now).toISOString();
  const none = { commitHash: null, commitMessage: null, branch: null, commitDate: null, imageName: null };
  const build: BuildRecord = {
    ...{ ...none, createdAt: now, ...previous },
    startedAt: status === 'PENDING' ? null : (previous?.startedAt ?? time),
    completedAt: FINAL.includes(status) ? (previous?.completedAt ?? time) : null,
    error: status === 'FAILED' || status === 'TEST_FAILED' ? 'the build failed' : null,
    ...{ ...body, id, endpointId },
  };
  return documentOf(builds.put(state, build));
}
