import { contract } from '../contract/document.ts';
import { notAllowed } from '../contract/problem.ts';
import { dispatch, type Frame, pathNotServed, UNKNOWN } from './dispatch.ts';
import type { LocalAnswer, LocalRequest, Operation } from './operation.ts';

type Params = Readonly<Record<string, string>>;

interface Route {
  readonly segments: readonly string[];
  readonly operations: ReadonlyMap<string, Operation>;
  readonly notAllowed: Operation;
}

const CONTRACT_PATH = '/v2/openapi.json';

/** 405 for a known path with another method, else 404. HEAD is GET without the body. */
export function createRouter(
  operations: readonly Operation[],
  frame: Frame,
): (request: LocalRequest) => Promise<LocalAnswer> {
  const routes = routesOf(operations);
  const collections = new Set(operations.map(({ path }) => path.split('/')[2] ?? ''));

  const answer = async (request: LocalRequest, method: string): Promise<LocalAnswer> => {
    if (method === 'GET' && request.path === CONTRACT_PATH)
      return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(contract) };
    const segments = request.path.split('/').slice(1).map(decoded);
    for (const route of routes) {
      const params = paramsOf(route, segments);
      if (params !== undefined)
        return dispatch(route.operations.get(method) ?? route.notAllowed, request, params, frame);
    }
    const [version, name = '', ...rest] = segments;
    if (version !== 'v1' && version !== 'v2') return pathNotServed();
    // Paths below an endpoint belong to the queue API, and are not counted in the windows of the management API.
    const isQueuePath = version === 'v2' && rest.length > 0 && !collections.has(name);
    const unknown = isQueuePath ? ({ ...UNKNOWN, service: 'queue', scope: 'jobs' } as const) : UNKNOWN;
    return dispatch(unknown, request, {}, frame);
  };

  // An event stream that was not started needs no end.
  return async (request) =>
    request.method === 'HEAD' ? { ...(await answer(request, 'GET')), body: '' } : answer(request, request.method);
}

/** Literal segments before parameters: `/v2/pods/{id}` before `/v2/{endpointId}/run`. */
function routesOf(operations: readonly Operation[]): readonly Route[] {
  const byPath = new Map<string, Operation[]>();
  for (const operation of operations) byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
  return [...byPath]
    .map(([path, rows]) => ({
      order: path.replace(/[^/{]+/g, '0').replace(/{[^/]*/g, '1'),
      segments: path.split('/').slice(1),
      operations: new Map(rows.map((row) => [row.method, row])),
      notAllowed: methodNotAllowed(rows),
    }))
    .sort((a, b) => (a.order < b.order ? -1 : 1));
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

function paramsOf({ segments }: Route, given: readonly string[]): Params | undefined {
  if (segments.length !== given.length) return undefined;
  const isSame = segments.every((segment, at) => (isParameter(segment) ? given[at] !== '' : given[at] === segment));
  if (!isSame) return undefined;
  const params = segments.flatMap((segment, at) => (isParameter(segment) ? [[segment.slice(1, -1), given[at]]] : []));
  return Object.fromEntries(params) as Params;
}

/** Unchanged when its percent-encoding is not UTF-8. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function methodNotAllowed(rows: readonly Operation[]): Operation {
  const [first] = rows;
  return {
    ...UNKNOWN,
    service: first?.service ?? 'base',
    scope: first?.service === 'worker' ? 'worker' : UNKNOWN.scope,
    run: () => {
      throw notAllowed(rows.map(({ method }) => method));
    },
  };
}
