/* eslint-disable no-restricted-globals -- the local service answers in the web's own classes, and no plain command loads it */
import { Hono } from 'hono';
import { encodeJson } from '../../core/json.ts';
import { dispatch, pathNotServed, UNKNOWN, type Frame } from './dispatch.ts';
import { openApiDocument } from './openapi.ts';
import type { Operation } from './operation.ts';
import { notAllowed } from '../contract/problem.ts';

/** Routes the table's operations by method and path. A known path with another method answers 405, any other path 404. */
export function createRouter(operations: readonly Operation[], frame: Frame): (request: Request) => Promise<Response> {
  const app = new Hono();
  let published: string | undefined;
  app.get('/v2/openapi.json', () => {
    published ??= encodeJson(openApiDocument(operations));
    return new Response(published, { headers: { 'Content-Type': 'application/json' } });
  });

  for (const [path, rows] of byPath(operations)) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1');
    for (const row of rows) {
      app.on(row.method, pattern, (context) => dispatch(row, context.req.raw, context.req.param(), frame));
    }
    const notAllowedRow = methodNotAllowed(rows);
    app.all(pattern, (context) => dispatch(notAllowedRow, context.req.raw, context.req.param(), frame));
  }

  const collections = new Set(operations.map(({ path }) => path.split('/')[2] ?? ''));
  app.notFound((context) => {
    const [version = '', name = '', ...rest] = context.req.path.split('/').slice(1);
    if (version !== 'v1' && version !== 'v2') return Promise.resolve(pathNotServed());
    // Paths below an endpoint belong to the queue API, and are not counted in the windows of the management API.
    const isQueuePath = version === 'v2' && rest.length > 0 && !collections.has(name);
    const unknown = isQueuePath ? ({ ...UNKNOWN, service: 'queue', scope: 'jobs' } as const) : UNKNOWN;
    return dispatch(unknown, context.req.raw, {}, frame);
  });
  // Dropped connections and file errors are handled by the caller, in this process or over HTTP.
  app.onError((error) => {
    throw error;
  });
  return async (request) => app.fetch(request);
}

/** Paths with their operations. Literal segments come before parameters: `/v2/pods/{id}` before `/v2/{endpointId}/run`. */
function byPath(operations: readonly Operation[]): readonly (readonly [string, readonly Operation[]])[] {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) paths.set(operation.path, [...(paths.get(operation.path) ?? []), operation]);
  return [...paths].sort(([a], [b]) => (routeOrder(a) < routeOrder(b) ? -1 : 1));
}

const routeOrder = (path: string): string =>
  path
    .split('/')
    .map((segment) => (segment.startsWith('{') ? '1' : '0'))
    .join('');

function methodNotAllowed(rows: readonly Operation[]): Operation {
  const [first] = rows;
  return {
    ...UNKNOWN,
    service: first?.service ?? 'base',
    run: () => {
      throw notAllowed(rows.map(({ method }) => method));
    },
  };
}
