import { isUtf8 } from 'node:buffer';
import { encodeJson, type Json } from '../../core/json.ts';
import { notFound, Problem, problemDocument, queueErrorDocument, tooLarge } from '../contract/problem.ts';
import { authenticate, authenticatePod, authenticateWorker, authorize, type Key } from './auth.ts';
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
import type { Validator } from './validate.ts';
import { workerKeyOf } from '../state/keys.ts';
import type { State } from '../state/state.ts';

export interface Frame {
  readonly quota: Quota;
  readonly settings: ServiceSettings;
  readonly random: () => number;
  readonly validator: Validator;
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
    const reply = await operation.run(await withBody(call, early ?? (await textOf(request)), frame));
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
  if (operation.service === 'control') return admitted(NO_FAULTS, operation, {}, () => authenticate(authorization));
  return frame.transact((state, now) => {
    const faults = takeFaults(injected.of(state), ['request'], request, frame.random);
    const headers: Record<string, string> = {};
    return admitted(faults, operation, headers, () => {
      operation.checkSize?.(state, text);
      const key = keyOf(operation, authorization, params, state, frame);
      if (operation.service !== 'queue' && operation.service !== 'worker')
        Object.assign(headers, countRequest(rateUsage.of(state), frame.quota, now));
      failAt('admission', faults, request);
      return key;
    });
  });
}

function admitted(faults: TakenFaults, { scope }: Operation, headers: Headers, findKey: () => Key): Admission {
  try {
    const key = findKey();
    authorize(key, scope);
    return { faults, keyId: key.id, headers };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { faults, keyId: '', headers, refusal: error };
  }
}

function keyOf(operation: Operation, authorization: string | undefined, params: Params, state: State, frame: Frame) {
  if (operation.service === 'worker')
    return authenticateWorker(authorization, workerKeyOf(state, params['endpointId'] ?? ''));
  return authenticatePod(state, authorization, operation, params['id'], frame.settings) ?? authenticate(authorization);
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

async function withBody(call: Call, bodyText: string, { validator }: Frame): Promise<Call> {
  await validator.query(call.operation, call.query);
  return Object.assign(call, { bodyText, body: await validator.body(call.operation, bodyText) });
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
  if (stream !== undefined) {
    const type = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
    return { status, headers: allHeaders(type, headers, own), body: stream };
  }
  return body === undefined
    ? { status, headers: allHeaders(headers, own), body: '' }
    : json(status, 'application/json', body, headers, own);
}

const refuse = (problem: Problem, { service }: Operation, headers: Headers): LocalAnswer =>
  service === 'queue' || service === 'worker'
    ? json(problem.status, 'application/json', queueErrorDocument(problem), headers, problem.headers)
    : json(problem.status, 'application/problem+json', problemDocument(problem), headers, problem.headers);

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
