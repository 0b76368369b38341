import { isUtf8 } from 'node:buffer';
import { decodeJson, encodeJson, type Json, JsonSyntaxError } from '../../core/json.ts';
import type { Schema } from '../contract/document.ts';
import { badRequest, forbidden, notFound, Problem, tooLarge, unprocessable } from '../contract/problem.ts';
import { authenticate, clientKey, countRequest, type Key, type Quota } from './admission.ts';
import { failAt, faults, ForeignAnswer, latencyOf, takeFaultAt, takeFaults, type TakenFaults } from './faults.ts';
import type { AddressOf, Call, LocalAnswer, LocalRequest, Operation, Reply, ServiceSettings } from './operation.ts';

export interface Frame {
  readonly quota: Quota;
  readonly settings: ServiceSettings;
  readonly random: () => number;
  readonly transact: Call['transact'];
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly stopping: AbortSignal;
  readonly addressOf: AddressOf;
}

/** Above the largest payload of any operation (specification 8.2), so that each operation refuses with its own message. */
export const MAX_BODY_BYTES = 22_000_000;

type Headers = Readonly<Record<string, string>>;
type Params = Readonly<Record<string, string>>;

/** 405 for a known path with another method, else 404. HEAD is GET without the body. */
export function createRouter(
  operations: readonly Operation[],
  frame: Frame,
): (request: LocalRequest) => Promise<LocalAnswer> {
  const routes = routesOf(operations);
  const answer = async (request: LocalRequest, method: string): Promise<LocalAnswer> => {
    const { path } = request;
    if (method === 'GET' && path === '/v2/openapi.json') {
      const { contract } = await import('../contract/document.ts');
      return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(contract) };
    }
    for (const route of routes) {
      if (!path.startsWith(route.start)) continue;
      route.pattern ??= new RegExp(`^${route.form.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
      const match = route.pattern.exec(path);
      if (match === null) continue;
      const rows = operations.filter((each) => each.path === route.form);
      const params = Object.fromEntries(
        Object.entries(match.groups ?? {}).map(([name, text]) => [name, decoded(text)]),
      );
      const operation = rows.find((row) => row.method === method) ?? methodNotAllowed(rows);
      return dispatch(operation, request, params, frame);
    }
    // Needs no key.
    if (!/^\/v[12](\/|$)/.test(path)) return refuse(notFound(NOTHING_HERE), UNKNOWN);
    // Paths below an endpoint belong to the queue API, and are not counted in the windows of the management API.
    const [, name] = /^\/v2\/([^/]+)\//.exec(path) ?? [];
    const isQueuePath = name !== undefined && !operations.some((each) => each.path.split('/')[2] === name);
    return dispatch(isQueuePath ? { ...UNKNOWN, service: 'queue', scope: 'jobs' } : UNKNOWN, request, {}, frame);
  };

  // An event stream that was not started needs no end.
  return async (request) =>
    request.method === 'HEAD' ? { ...(await answer(request, 'GET')), body: '' } : answer(request, request.method);
}

const NOTHING_HERE =
  'nothing here: the management API is under /v2, jobs under /v2/ENDPOINT, the contract at /v2/openapi.json';

/** Literal segments before parameters: `/v2/pods/{id}` before `/v2/{endpointId}/run`. A pattern is made where it may match. */
function routesOf(operations: readonly Operation[]) {
  const order = (path: string): string => path.replaceAll('{', '~');
  return [...new Set(operations.map(({ path }) => path))]
    .sort((one, other) => (order(one) < order(other) ? -1 : 1))
    .map((form) => ({ form, start: form.split('{', 1)[0] ?? form, pattern: undefined as RegExp | undefined }));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const UNKNOWN: Operation = {
  id: 'unknown',
  service: 'base',
  method: 'GET',
  path: '/',
  scope: 'read',
  success: 200,
  run: () => {
    throw notFound();
  },
};

function methodNotAllowed(rows: readonly Operation[]): Operation {
  const { service = 'base', scope = 'read' } = rows[0] ?? {};
  const Allow = rows.map(({ method }) => method).join(', ');
  const run = (): never => {
    throw new Problem(405, `this path answers ${Allow}`, { Allow });
  };
  return { ...UNKNOWN, service, scope: service === 'worker' ? scope : 'read', run };
}

interface Admission {
  readonly faults: TakenFaults;
  readonly keyId: string;
  readonly headers: Headers;
  readonly refusal?: Problem;
}

/** Rejects with DroppedConnection (a fault), or local-file (14): state cannot be read or saved. */
async function dispatch(
  operation: Operation,
  request: LocalRequest,
  params: Params,
  frame: Frame,
): Promise<LocalAnswer> {
  let headers: Headers = {};
  let admitted: Call | undefined;
  try {
    const early = operation.checkSize === undefined ? undefined : await textOf(request);
    const admission = await admit(operation, request, params, frame, early);
    const { faults: taken, refusal } = admission;
    ({ headers } = admission);
    const call = callOf(operation, request, params, admission, frame);
    if (taken.has('latency')) await call.sleep(latencyOf(taken, 'latency'));
    failAt('arrival', taken, request);
    if (refusal !== undefined) throw refusal;
    admitted = call;
    failAt('operation', taken, request);
    const bodyText = early ?? (await textOf(request));
    await checkQuery(operation, call.query);
    const body = await validBody(operation, bodyText);
    const reply = await operation.run(Object.assign(call, { bodyText, body }));
    failAt('answer', taken, request);
    return respond(reply, headers);
  } catch (error) {
    if (error instanceof ForeignAnswer) return error.answer;
    if (!(error instanceof Problem)) throw error;
    if (admitted !== undefined && (error.status === 400 || error.status === 413))
      await operation.onRefused?.(admitted, error);
    return refuse(error, operation, headers);
  }
}

/** Control operations have no faults, windows or state: a reset must work when the state cannot be read. */
async function admit(
  operation: Operation,
  request: LocalRequest,
  params: Params,
  { transact, settings, quota, random }: Frame,
  text = '',
): Promise<Admission> {
  const { service } = operation;
  const headers: Record<string, string> = {};
  const admitted = (taken: TakenFaults, findKey: () => Key): Admission => {
    try {
      const { id: keyId, scopes } = findKey();
      if (!scopes.includes(operation.scope)) throw forbidden();
      return { faults: taken, keyId, headers };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { faults: taken, keyId: '', headers, refusal: error };
    }
  };
  if (service === 'control') return admitted(new Map(), () => clientKey(request.headers));
  return transact((state, now) => {
    const taken = takeFaults(faults.of(state), ['request'], request, random);
    return admitted(taken, () => {
      operation.checkSize?.(state, text);
      const key = authenticate(request.headers, operation, params, settings, state);
      if (service !== 'queue' && service !== 'worker') Object.assign(headers, countRequest(state, quota, now));
      failAt('admission', taken, request);
      return key;
    });
  });
}

function callOf(
  operation: Operation,
  { headers, origin, query, method, path, signal: caller }: LocalRequest,
  params: Params,
  { keyId, faults: taken }: Admission,
  { settings, addressOf, transact, sleep, random, stopping }: Frame,
): Call {
  let signal: AbortSignal | undefined;
  // Made on first use: most calls need none.
  const signalOf = (): AbortSignal => (signal ??= AbortSignal.any([caller, stopping]));
  return {
    operation,
    settings,
    params,
    query: new URLSearchParams(query),
    headers,
    origin,
    bodyText: '',
    body: undefined,
    keyId,
    lagMs: latencyOf(taken, 'replica-lag'),
    addressOf,
    get signal() {
      return signalOf();
    },
    takeFault: (state, points) => takeFaultAt(state, points, { method, path }, random),
    transact,
    sleep: (milliseconds, until) => sleep(milliseconds, until ?? signalOf()),
  };
}

/** The rest of a body that is too large is read by the server. */
async function textOf({ method, body }: LocalRequest): Promise<string> {
  if (body === undefined || method === 'GET' || method === 'HEAD') return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw tooLarge('the request body is larger than 20 MB');
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw badRequest('the request body is not UTF-8');
  return bytes.toString().replace(/^\uFEFF/, '');
}

/** Loaded here: it takes longer than answering a simple GET, which does not need it. */
const reasonsOf = async (schema: string | Schema, value: unknown): Promise<readonly string[]> =>
  (await import('./schema-checks.ts')).reasonsOf(schema, value);

/** The decoded body; undefined when the operation takes none. Rejects with the 400 or 422 Problem. */
async function validBody({ body: schema }: Operation, text: string): Promise<unknown> {
  if (schema === undefined) return undefined;
  if (text.trim() === '') throw badRequest('a JSON body is required');
  const value = jsonIn(text);
  const errors = await reasonsOf(schema, value);
  if (errors.length > 0) throw unprocessable(errors);
  return value;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(`the body is not JSON${placeOfError(text)}`);
  }
}

function placeOfError(text: string): string {
  try {
    decodeJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return `: line ${String(error.line)}, column ${String(error.column)}`;
  }
  return '';
}

/** 400 Problem for an empty list parameter, 422 for an invalid one. Unknown ones are ignored. */
async function checkQuery({ parameters = [] }: Operation, query: URLSearchParams): Promise<void> {
  const errors: string[] = [];
  for (const { name, schema, in: place } of parameters) {
    const given = query.getAll(name);
    if (place !== 'query' || given.length === 0) continue;
    const value = coerce(schema, given);
    if (Array.isArray(value) && value.includes(''))
      throw badRequest(`query ${name}: names nothing where a value is expected`);
    const reasons = await reasonsOf(schema, value);
    errors.push(...reasons.map((reason) => `query ${name}${reason.replace(/^\/(?=:)/, '')}`));
  }
  if (errors.length > 0) throw unprocessable(errors);
}

function coerce(schema: Schema, given: readonly string[]): unknown {
  const [last = ''] = given.slice(-1);
  if (schema['type'] === 'array') return given.join(',').split(',');
  if (schema['type'] === 'integer') return /^-?\d+$/.test(last) ? Number(last) : last;
  if (schema['type'] === 'boolean') return last === 'true' || (last === 'false' ? false : last);
  return last;
}

const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };

function respond({ status, body, stream }: Reply, headers: Headers): LocalAnswer {
  if (stream !== undefined) return { status, headers: allHeaders(STREAM, headers), body: stream };
  if (body === undefined) return { status, headers: allHeaders(headers), body: '' };
  return json(status, 'application/json', body, headers);
}

/** The queue API has a format of its own (contract rules, Queue API). */
function refuse(problem: Problem, { service }: Operation, headers: Headers = {}): LocalAnswer {
  const isOfQueue = service === 'queue' || service === 'worker';
  const type = isOfQueue ? 'application/json' : 'application/problem+json';
  const body = isOfQueue ? { error: problem.message } : problem.document;
  return json(problem.status, type, body, headers, problem.headers);
}

const json = (status: number, type: string, body: Json, ...headers: readonly Headers[]): LocalAnswer => ({
  status,
  headers: allHeaders({ 'content-type': type }, ...headers),
  body: encodeJson(body),
});

const allHeaders = (...parts: readonly Headers[]): Headers =>
  Object.fromEntries(
    parts.flatMap((part) => Object.entries(part).map(([name, value]) => [name.toLowerCase(), value] as const)),
  );
