import { isUtf8 } from 'node:buffer';
import { encodeJson, type Json } from '../../core/json.ts';
import { forbidden, notFound, Problem, problemDocument, queueErrorDocument, tooLarge } from '../contract/problem.ts';
import { authenticate, authenticatePod, authenticateWorker, type Key } from './auth.ts';
import {
  failAt,
  ForeignAnswer,
  latencyOf,
  faults as injected,
  takeFaultAt,
  takeFaults,
  type TakenFaults,
} from './faults.ts';
import type { AddressOf, Call, LocalAnswer, LocalRequest, Operation, Reply, ServiceSettings } from './operation.ts';
import { countRequest, type Quota, rateUsage } from './rate-limit.ts';
import { checkQuery, validBody } from './validate.ts';
import { workerKeyOf } from '../state/keys.ts';

export interface Frame {
  readonly quota: Quota;
  readonly settings: ServiceSettings;
  readonly random: () => number;
  readonly transact: Call['transact'];
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  readonly addressOf: AddressOf;
}

/** Above the largest payload of any operation (specification 8.2), so that each operation refuses with its own message. */
export const MAX_BODY_BYTES = 22_000_000;

const NO_FAULTS: TakenFaults = new Map();

type Headers = Readonly<Record<string, string>>;
type Params = Readonly<Record<string, string>>;

interface Admission {
  readonly faults: TakenFaults;
  readonly keyId: string;
  readonly headers: Headers;
  readonly refusal?: Problem;
}

/** Rejects with DroppedConnection (a fault), or local-file (14): state cannot be read or saved. */
export async function dispatch(
  operation: Operation,
  request: LocalRequest,
  params: Params,
  frame: Frame,
): Promise<LocalAnswer> {
  let headers: Headers = {};
  let isAdmitted = false;
  try {
    const early = operation.checkSize === undefined ? undefined : await textOf(request);
    const admission = await admit(operation, request, params, frame, early);
    const { faults, refusal } = admission;
    headers = admission.headers;
    const call = callOf(operation, request, params, admission, frame);
    if (faults.has('latency')) await call.sleep(latencyOf(faults, 'latency'));
    failAt('arrival', faults, request);
    if (refusal !== undefined) throw refusal;
    isAdmitted = true;
    failAt('operation', faults, request);
    const bodyText = early ?? (await textOf(request));
    await checkQuery(operation, call.query);
    const body = await validBody(operation, bodyText);
    const reply = await operation.run(Object.assign(call, { bodyText, body }));
    failAt('answer', faults, request);
    return respond(reply, headers);
  } catch (error) {
    if (error instanceof ForeignAnswer) return error.answer;
    if (!(error instanceof Problem)) throw error;
    if (isAdmitted && (error.status === 400 || error.status === 413))
      await operation.onRefused?.({ params, transact: frame.transact, problem: error });
    return refuse(error, operation, headers);
  }
}

/** Control operations have no faults, windows or state: a reset must work when the state cannot be read. */
async function admit(
  operation: Operation,
  request: LocalRequest,
  params: Params,
  frame: Frame,
  text = '',
): Promise<Admission> {
  const { authorization } = request.headers;
  const { service, scope } = operation;
  const headers: Record<string, string> = {};
  const admitted = (faults: TakenFaults, findKey: () => Key): Admission => {
    try {
      const { id: keyId, scopes } = findKey();
      if (!scopes.includes(scope)) throw forbidden();
      return { faults, keyId, headers };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { faults, keyId: '', headers, refusal: error };
    }
  };
  if (service === 'control') return admitted(NO_FAULTS, () => authenticate(authorization));
  return frame.transact((state, now) => {
    const faults = takeFaults(injected.of(state), ['request'], request, frame.random);
    return admitted(faults, () => {
      operation.checkSize?.(state, text);
      const key =
        service === 'worker'
          ? authenticateWorker(authorization, workerKeyOf(state, params['endpointId'] ?? ''))
          : (authenticatePod(state, authorization, operation, params['id'], frame.settings) ??
            authenticate(authorization));
      if (service !== 'queue' && service !== 'worker')
        Object.assign(headers, countRequest(rateUsage.of(state), frame.quota, now));
      failAt('admission', faults, request);
      return key;
    });
  });
}

function callOf(
  operation: Operation,
  request: LocalRequest,
  params: Params,
  { keyId, faults }: Admission,
  { settings, addressOf, transact, sleep, random, stopping }: Frame,
): Call {
  let signal: AbortSignal | undefined;
  // Made on first use: most calls need none.
  const signalOf = (): AbortSignal => (signal ??= AbortSignal.any([request.signal, stopping]));
  return {
    operation,
    settings,
    params,
    query: new URLSearchParams(request.query),
    headers: request.headers,
    origin: request.origin,
    bodyText: '',
    body: undefined,
    keyId,
    lagMs: latencyOf(faults, 'replica-lag'),
    addressOf,
    get signal() {
      return signalOf();
    },
    takeFault: (state, points) => takeFaultAt(injected.of(state), points, request, random),
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
  if (!isUtf8(bytes)) throw new Problem(400, 'Bad Request', 'the request body is not UTF-8');
  return bytes.toString().replace(/^\uFEFF/, '');
}

function respond({ status, body, stream, headers: own }: Reply, headers: Headers): LocalAnswer {
  if (stream !== undefined)
    return {
      status,
      headers: allHeaders({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' }, headers, own),
      body: stream,
    };
  if (body !== undefined) return json(status, 'application/json', body, headers, own);
  return { status, headers: allHeaders(headers, own), body: '' };
}

function refuse(problem: Problem, { service }: Operation, headers: Headers): LocalAnswer {
  const isOfQueue = service === 'queue' || service === 'worker';
  const type = isOfQueue ? 'application/json' : 'application/problem+json';
  const body = isOfQueue ? queueErrorDocument(problem) : problemDocument(problem);
  return json(problem.status, type, body, headers, problem.headers);
}

const json = (status: number, type: string, body: Json, ...headers: readonly (Headers | undefined)[]): LocalAnswer => ({
  status,
  headers: allHeaders({ 'content-type': type }, ...headers),
  body: encodeJson(body),
});

/** Later parts win. Names in lower case. */
function allHeaders(...parts: readonly (Headers | undefined)[]): Headers {
  const all: Record<string, string> = {};
  for (const part of parts) for (const name in part) all[name.toLowerCase()] = part[name] ?? '';
  return all;
}

/** Needs no key. */
export const pathNotServed = (): LocalAnswer =>
  refuse(
    notFound(
      'nothing here: the management API is under /v2, jobs under /v2/ENDPOINT, the contract at /v2/openapi.json',
    ),
    UNKNOWN,
    {},
  );

export const UNKNOWN: Operation = {
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
