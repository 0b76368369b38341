import { encodeJson, type Json } from '../../core/json.ts';
import { publishedSchemas } from '../contract/index.ts';
import { notAllowed } from '../contract/problem.ts';
import { EVENTS } from '../contract/rows.ts';
import { ref, type Schema } from '../contract/schemas/schema.ts';
import { dispatch, type Frame, pathNotServed, UNKNOWN } from './dispatch.ts';
import type { LocalAnswer, LocalRequest, Operation } from './operation.ts';

const RATE_HEADERS = {
  RateLimit: { schema: ref('RateLimitHeader') },
  'RateLimit-Policy': { schema: ref('RateLimitPolicyHeader') },
};

/** Operations without a tag are not published. */
export function openApiDocument(operations: readonly Operation[]): Json {
  const published = operations.filter(({ tag }) => tag !== undefined);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of published) {
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const path = (paths[operation.path] ??=
      names.length === 0
        ? {}
        : { parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })) });
    path[operation.method.toLowerCase()] = describe(operation);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'berth local service', version: '2.0.0' },
    security: [{ bearerAuth: [] }],
    tags: [...new Set(published.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } },
      schemas: publishedSchemas,
    },
  } as unknown as Json;
}

function describe(operation: Operation): Schema {
  const parameters = (operation.parameters ?? []).map((parameter) => ({
    name: parameter.name,
    in: parameter.in,
    required: false,
    ...(parameter.schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
    schema: parameter.schema,
  }));
  return {
    operationId: operation.id,
    tags: [operation.tag],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(operation.body) } } } }),
    responses: Object.fromEntries(
      Object.entries(operation.answers ?? {}).map(([status, schema]) => [status, answer(status, schema)]),
    ),
  };
}

function answer(status: string, schema: string | Schema | null): Schema {
  const headers = {
    ...(status === '429' ? { 'Retry-After': { schema: { type: 'integer' } } } : {}),
    ...(status === '401' ? {} : RATE_HEADERS),
  };
  return {
    description: status,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(schema === null ? {} : { content: { [mediaType(schema)]: { schema: schemaOf(schema) } } }),
  };
}

function schemaOf(schema: string | Schema): Schema {
  if (typeof schema !== 'string') return schema;
  return schema === EVENTS ? { type: 'string' } : ref(schema);
}

const mediaType = (schema: string | Schema): string =>
  schema === EVENTS ? EVENTS : schema === 'ErrorResponse' ? 'application/problem+json' : 'application/json';

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
  let published: string | undefined;

  const answer = (request: LocalRequest, method: string): Promise<LocalAnswer> => {
    const segments = request.path.split('/').slice(1).map(decoded);
    if (method === 'GET' && request.path === CONTRACT_PATH) {
      published ??= encodeJson(openApiDocument(operations));
      return Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body: published });
    }
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
