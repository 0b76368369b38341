import { contract } from '../contract/document.ts';
import { notAllowed } from '../contract/problem.ts';
import { dispatch, type Frame, pathNotServed, UNKNOWN } from './dispatch.ts';
import type { LocalAnswer, LocalRequest, Operation } from './operation.ts';

interface Route {
  readonly segments: readonly string[];
  readonly operations: ReadonlyMap<string, Operation>;
  readonly notAllowed: Operation;
}

type Params = Readonly<Record<string, string>>;

const CONTRACT_PATH = '/v2/openapi.json';

/** 405 for a known path with another method, else 404. HEAD is GET without the body. */
export function createRouter(
  operations: readonly Operation[],
  frame: Frame,
): (request: LocalRequest) => Promise<LocalAnswer> {
  const routes = routesByLength(operations);
  const collections = new Set(operations.map(({ path }) => path.split('/')[2] ?? ''));

  const answer = (request: LocalRequest, method: string): Promise<LocalAnswer> => {
    const segments = request.path.split('/').slice(1).map(decoded);
    if (method === 'GET' && request.path === CONTRACT_PATH)
      return Promise.resolve({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(contract),
      });
    for (const route of routes.get(segments.length) ?? []) {
      const params = paramsOf(route, segments);
      if (params !== undefined)
        return dispatch(route.operations.get(method) ?? route.notAllowed, request, params, frame);
    }
    return answerUnknown(request, segments);
  };

  const answerUnknown = (request: LocalRequest, [version, name = '', ...rest]: readonly string[]) => {
    if (version !== 'v1' && version !== 'v2') return Promise.resolve(pathNotServed());
    // Paths below an endpoint belong to the queue API, and are not counted in the windows of the management API.
    const isQueuePath = version === 'v2' && rest.length > 0 && !collections.has(name);
    const unknown = isQueuePath ? ({ ...UNKNOWN, service: 'queue', scope: 'jobs' } as const) : UNKNOWN;
    return dispatch(unknown, request, {}, frame);
  };

  return async (request) =>
    request.method === 'HEAD' ? withoutBody(await answer(request, 'GET')) : answer(request, request.method);
}

/** Literal segments before parameters: `/v2/pods/{id}` before `/v2/{endpointId}/run`. */
function routesByLength(operations: readonly Operation[]): ReadonlyMap<number, readonly Route[]> {
  const routes = [...groupBy(operations, ({ path }) => path)]
    .sort(([a], [b]) => (routeOrder(a) < routeOrder(b) ? -1 : 1))
    .map(([path, rows]): Route => ({
      segments: path.split('/').slice(1),
      operations: new Map(rows.map((row) => [row.method, row])),
      notAllowed: methodNotAllowed(rows),
    }));
  return groupBy(routes, ({ segments }) => segments.length);
}

function groupBy<K, T>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

const routeOrder = (path: string): string =>
  path
    .split('/')
    .map((segment) => (isParameter(segment) ? '1' : '0'))
    .join('');

function paramsOf({ segments }: Route, given: readonly string[]): Params | undefined {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = given[index] ?? '';
    if (!isParameter(segment)) {
      if (value !== segment) return undefined;
    } else if (value === '') return undefined;
    else params[segment.slice(1, -1)] = value;
  }
  return params;
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

/** An event stream that was not started needs no end. */
const withoutBody = (answer: LocalAnswer): LocalAnswer => ({ ...answer, body: '' });

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
