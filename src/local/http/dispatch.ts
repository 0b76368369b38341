import { isUtf8 } from 'node:buffer';
import { encodeJson, type Json } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { notFound, Problem, problemDocument, queueErrorDocument, tooLarge } from '../contract/problem.ts';
import { authenticate, authenticatePod, authenticateWorker, authorize, type Key } from './auth.ts';
import {
  applyFaults,
  countRequest,
  faultError,
  ForeignAnswer,
  lagOf,
  type Quota,
  rateHeaders,
  rateUsage,
} from './faults.ts';
import { type FaultRecord, faults as injectedFaults, takeFaultAt, takeFaultsOfRequest } from './injected-faults.ts';
import type {
  AddressOf,
  Call,
  CallSignal,
  CallSignals,
  LocalAnswer,
  LocalRequest,
  Operation,
  Reply,
  ServiceSettings,
} from './operation.ts';
import type { Validator } from './validate.ts';
import type { WorkerKeys } from '../state/keys.ts';
import type { State } from '../state/state.ts';

export interface Frame {
  readonly quota: Quota;
  readonly settings: ServiceSettings;
  readonly random: () => number;
  readonly validator: Validator;
  readonly workerKeys: WorkerKeys;
  readonly transact: Call['transact'];
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signals: CallSignals;
  readonly addressOf: AddressOf;
}

/** Above the largest payload of any operation (specification 8.2), so that each operation refuses with its own message. */
export const MAX_BODY_BYTES = 22_000_000;

/** How many bytes of a larger body are read before the connection is closed. */
const MAX_READ_BYTES = 256_000_000;

const NO_BYTES = new Uint8Array(0);

const TOO_LARGE = 'the request body is larger than 20 MB';

type Headers = Readonly<Record<string, string>>;

interface Admission {
  readonly faults: readonly FaultRecord[];
  readonly keyId: string;
  readonly headers: Headers;
  readonly refusal?: Problem;
}

/** Rejects with DroppedConnection (a fault), or local-file (14): state cannot be read or saved. */
export async function dispatch(
  operation: Operation,
  request: LocalRequest,
  params: Readonly<Record<string, string>>,
  frame: Frame,
): Promise<LocalAnswer> {
  let early: Uint8Array | undefined;
  try {
    early = operation.checkSize === undefined ? undefined : await bytesOf(request);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refuse(error, operation, {});
  }
  const admission =
    operation.service === 'control'
      ? admitControl(operation, request)
      : await frame.transact((state, now) => admit(operation, request, params, state, now, frame, early));
  const { faults, refusal, headers } = admission;
  const signal = frame.signals(request);
  const sleep = (milliseconds: number): Promise<void> => frame.sleep(milliseconds, signal.get());

  let isStream = false;
  try {
    if (faults.length > 0) await applyFaults(faults, 'arrival', request, sleep);
    if (refusal !== undefined) throw refusal;
    if (faults.length > 0) await applyFaults(faults, 'operation', request, sleep);
    const body = early ?? (await bytesOf(request));
    const reply = await operation.run(await callOf(operation, request, params, body, admission, signal, frame));
    if (faults.length > 0) await applyFaults(faults, 'answer', request, sleep);
    isStream = reply.stream !== undefined;
    return respond(reply, headers);
  } catch (error) {
    if (error instanceof ForeignAnswer) return error.answer;
    if (!(error instanceof Problem)) throw error;
    if (refusal === undefined && (error.status === 400 || error.status === 413))
      await operation.onRefused?.({ params, transact: frame.transact, problem: error });
    return refuse(error, operation, headers);
  } finally {
    // The call of a stream ends with its connection.
    if (!isStream) signal.release();
  }
}

/** No faults or rate windows, and no state: a reset must work when the state cannot be read. */
function admitControl(operation: Operation, request: LocalRequest): Admission {
  try {
    const key = authenticate(request.headers['authorization']);
    authorize(key, operation.scope);
    return { faults: [], keyId: key.id, headers: {} };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { faults: [], keyId: '', headers: {}, refusal: error };
  }
}

function admit(
  operation: Operation,
  request: LocalRequest,
  params: Readonly<Record<string, string>>,
  state: State,
  now: EpochMs,
  frame: Frame,
  body: Uint8Array | undefined,
): Admission {
  const faults = takeFaultsOfRequest(injectedFaults.of(state), request, frame.random);
  const isLimited = operation.service !== 'queue' && operation.service !== 'worker';
  let headers: Headers = {};
  try {
    if (body !== undefined) operation.checkSize?.(state, body);
    const key = keyOf(operation, request.headers['authorization'], params, state, frame);
    const injected = faultError(faults, 'counting', request);
    if (injected !== undefined) {
      if (isLimited) headers = rateHeaders(rateUsage.of(state), frame.quota, now);
      throw injected;
    }
    if (isLimited) headers = countRequest(rateUsage.of(state), frame.quota, now);
    authorize(key, operation.scope);
    return { faults, keyId: key.id, headers };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { faults, keyId: '', headers, refusal: error };
  }
}

function keyOf(
  operation: Operation,
  authorization: string | undefined,
  params: Readonly<Record<string, string>>,
  state: State,
  frame: Frame,
): Key {
  if (operation.service === 'worker')
    return authenticateWorker(authorization, frame.workerKeys(state, params['endpointId'] ?? ''));
  return authenticatePod(state, authorization, operation, params['id'], frame.settings) ?? authenticate(authorization);
}

async function callOf(
  operation: Operation,
  request: LocalRequest,
  params: Readonly<Record<string, string>>,
  bytes: Uint8Array,
  { keyId, faults }: Admission,
  signal: CallSignal,
  frame: Frame,
): Promise<Call> {
  const query = new URLSearchParams(request.query);
  await frame.validator.query(operation, query);
  const bodyText = textOf(bytes);
  const body = await frame.validator.body(operation, bodyText);
  return {
    operation,
    settings: frame.settings,
    params,
    query,
    headers: request.headers,
    origin: request.origin,
    bodyText,
    body,
    keyId,
    lagMs: lagOf(faults),
    addressOf: frame.addressOf,
    get signal() {
      return signal.get();
    },
    takeFault: (state, points) => takeFaultAt(injectedFaults.of(state), points, request, frame.random),
    transact: frame.transact,
    sleep: (milliseconds, until) => frame.sleep(milliseconds, until ?? signal.get()),
  };
}

async function bytesOf({ method, body }: LocalRequest): Promise<Uint8Array> {
  if (body === undefined || method === 'GET' || method === 'HEAD') return NO_BYTES;
  const bytes = body instanceof Uint8Array ? body : await collect(body);
  if (bytes.byteLength > MAX_BODY_BYTES) throw tooLarge(TOO_LARGE);
  return bytes;
}

function textOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new Problem(400, 'Bad Request', 'the request body is not UTF-8');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString()
    .replace(/^\uFEFF/, '');
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    // The rest must be read: an answer before the end of the body would break the connection.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
    if (size > MAX_READ_BYTES) throw tooLarge(TOO_LARGE, { connection: 'close' });
  }
  if (size > MAX_BODY_BYTES) throw tooLarge(TOO_LARGE);
  return Buffer.concat(chunks);
}

function respond(reply: Reply, headers: Headers): LocalAnswer {
  const { status, body, stream } = reply;
  if (stream !== undefined)
    return {
      status,
      headers: allHeaders('text/event-stream', { 'cache-control': 'no-store' }, headers, reply.headers),
      body: stream,
    };
  return body === undefined
    ? { status, headers: allHeaders(undefined, headers, reply.headers), body: '' }
    : json(status, 'application/json', body, headers, reply.headers);
}

const refuse = (problem: Problem, { service }: Operation, headers: Headers): LocalAnswer =>
  service === 'queue' || service === 'worker'
    ? json(problem.status, 'application/json', queueErrorDocument(problem), headers, problem.headers)
    : json(problem.status, 'application/problem+json', problemDocument(problem), headers, problem.headers);

const json = (status: number, type: string, body: Json, ...headers: readonly (Headers | undefined)[]): LocalAnswer => ({
  status,
  headers: allHeaders(type, ...headers),
  body: encodeJson(body),
});

/** Later parts win. Names in lower case. */
function allHeaders(type: string | undefined, ...parts: readonly (Headers | undefined)[]): Headers {
  const all: Record<string, string> = type === undefined ? {} : { 'content-type': type };
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
