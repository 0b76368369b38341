import { contract } from '../contract/document.ts';
import { notAllowed } from '../contract/problem.ts';
import { dispatch, type Frame, pathNotServed, UNKNOWN } from './dispatch.ts';
import type { LocalAnswer, LocalRequest, Operation } from './operation.ts';

type Params = Readonly<Record<string, string>>;

const CONTRACT_PATH = '/v2/openapi.json';

/** 405 for a known path with another method, else 404. HEAD is GET without the body. */
export function createRouter(
  operations: readonly Operation[],
  frame: Frame,
): (request: LocalRequest) => Promise<LocalAnswer> {
  const answer = async (request: LocalRequest, method: string): Promise<LocalAnswer> => {
    if (method === 'GET' && request.path === CONTRACT_PATH)
      return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(contract) };
    const segments = request.path.split('/').slice(1).map(decoded);
    const found = operations.filter(({ path }) => fits(shapeOf(path), segments));
    if (found.length > 0) {
      const [path = ''] = found.map((each) => each.path).sort((a, b) => (shapeOf(a).order < shapeOf(b).order ? -1 : 1));
      const rows = found.filter((each) => each.path === path);
      const operation = rows.find((row) => row.method === method) ?? methodNotAllowed(rows);
      return dispatch(operation, request, paramsOf(shapeOf(path), segments), frame);
    }
    const [version, name = '', ...rest] = segments;
    if (version !== 'v1' && version !== 'v2') return pathNotServed();
    // Paths below an endpoint belong to the queue API, and are not counted in the windows of the management API.
    const isCollection = operations.some(({ path }) => path.split('/')[2] === name);
    const isQueuePath = version === 'v2' && rest.length > 0 && !isCollection;
    const unknown = isQueuePath ? ({ ...UNKNOWN, service: 'queue', scope: 'jobs' } as const) : UNKNOWN;
    return dispatch(unknown, request, {}, frame);
  };

  // An event stream that was not started needs no end.
  return async (request) =>
    request.method === 'HEAD' ? { ...(await answer(request, 'GET')), body: '' } : answer(request, request.method);
}

interface Shape {
  readonly segments: readonly string[];
  /** Literal segments before parameters: `/v2/pods/{id}` before `/v2/{endpointId}/run`. */
  readonly order: string;
}

/** Of the paths of all services: each is taken apart once. */
const shapes = new Map<string, Shape>();

function shapeOf(path: string): Shape {
  const known = shapes.get(path);
  if (known !== undefined) return known;
  const segments = path.split('/').slice(1);
  const shape = { segments, order: segments.map((segment) => (isParameter(segment) ? '1' : '0')).join('') };
  shapes.set(path, shape);
  return shape;
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

const fits = ({ segments }: Shape, given: readonly string[]): boolean =>
  segments.length === given.length &&
  segments.every((segment, at) => (isParameter(segment) ? given[at] !== '' : given[at] === segment));

const paramsOf = ({ segments }: Shape, given: readonly string[]): Params =>
  Object.fromEntries(
    segments.flatMap((segment, at) => (isParameter(segment) ? [[segment.slice(1, -1), given[at] ?? '']] : [])),
  );

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
