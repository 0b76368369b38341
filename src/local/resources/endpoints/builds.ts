import type { Json } from '../../../core/json.ts';
import { notFound } from '../../contract/problem.ts';
import type { Call } from '../../http/call/operation.ts';
import { pageOf } from '../../http/requests/pages.ts';
import { builds, type BuildRecord } from '../../model/endpoints/builds.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';
import { nextId, type State } from '../../state/state.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

const documentOf = ({ endpointId: _endpoint, createdAt: _createdAt, ...shown }: BuildRecord): Json => shown;

/** A page of an endpoint's builds, newest first. */
export function buildsDocument(state: State, endpoint: EndpointRecord, call: Call): Json {
  const ofEndpoint = builds.all(state).filter(({ endpointId }) => endpointId === endpoint.id);
  const { rows, pagination } = pageOf(state, call, ofEndpoint);
  return { builds: rows.map(documentOf), pagination };
}

/** One build of an endpoint. Throws the 404 Problem when the endpoint has no such build. */
export function buildDocument(state: State, endpoint: EndpointRecord, id: string): Json {
  const build = builds.get(state, id);
  if (build?.endpointId !== endpoint.id) throw notFound('build not found');
  return documentOf(build);
}

/** What a control request says of a build. Members that it leaves out are as the status has them. */
export interface BuildBody extends Partial<Omit<BuildRecord, 'endpointId' | 'createdAt'>> {
  readonly status: BuildRecord['status'];
}

const FINAL: readonly BuildRecord['status'][] = ['COMPLETED', 'FAILED', 'CANCELLED', 'TEST_FAILED'];

/** Puts a build to an endpoint, or changes the one with its id; returns it. */
export function putBuild(state: State, { id: endpointId }: EndpointRecord, body: BuildBody, now: EpochMs): Json {
  const id = body.id ?? nextId(state, 'build');
  const previous = builds.get(state, id);
  const time = new Date(now).toISOString();
  const { status } = body;
  return documentOf(
    builds.put(state, {
      commitHash: null,
      commitMessage: null,
      branch: null,
      commitDate: null,
      imageName: null,
      createdAt: now,
      ...previous,
      startedAt: status === 'PENDING' ? null : (previous?.startedAt ?? time),
      completedAt: FINAL.includes(status) ? (previous?.completedAt ?? time) : null,
      error: status === 'FAILED' || status === 'TEST_FAILED' ? 'the build failed' : null,
      ...body,
      id,
      endpointId,
    }),
  );
}
