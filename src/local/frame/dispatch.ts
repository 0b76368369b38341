/* eslint-disable no-restricted-globals -- the local service answers in the web's own classes, and no plain command loads it */
import { encodeJson, type Json } from '../../core/json.ts';
import { notFound, Problem, problemDocument, queueErrorDocument, tooLarge } from '../contract/problem.ts';
import type { State } from '../state/state.ts';
import { workerKeyOf } from '../state/worker-keys.ts';
import { authenticate, authenticateWorker, authorize, type Key } from './auth.ts';
import { applyFaults, faultError } from './fault-effects.ts';
import { faults as injectedFaults, takeFaults, type FaultRecord } from './faults.ts';
import type { Call, Operation, Reply } from './operation.ts';
import { countRequest, rateHeaders, rateUsage, type Quota } from './rate-limit.ts';
import type { Validator } from './validate.ts';

/** What the answering of every request needs. */
export interface Frame {
  readonly quota: Quota;
  readonly random: () => number;
  readonly validator: Validator;
  readonly transact: Call['transact'];
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

/** Above the largest payload of any operation (specification 8.2), so that each operation refuses with its own message. */
const MAX_BODY_BYTES = 22_000_000;

/** How many bytes of a larger body are read before the connection is closed. */
const MAX_READ_BYTES = 256_000_000;

const TOO_LARGE = 'the request body is larger than 20 MB';

type Headers = Readonly<Record<string, string>>;

interface Admission {
  readonly faults: readonly FaultRecord[];
  readonly keyId: string;
  /** Date, and RateLimit and RateLimit-Policy once the key is known. */
  readonly headers: Headers;
  readonly refusal?: Problem;
}

/**
 * Answers one request of an operation: faults, key, rate windows, scope, query and body, in this order, then the
 * operation itself. Rejects with DroppedConnection when a fault drops the connection, and with a local-file Failure (14)
 * when the state cannot be read or saved.
 */
export async function dispatch(
  operation: Operation,
  request: Request,
  params: Readonly<Record<string, string>>,
  frame: Frame,
): Promise<Response> {
  const admission =
    operation.service === 'control'
      ? admitControl(operation, request)
      : await frame.transact((state, now) => admit(operation, request, params, state, now, frame));
  const { faults, refusal, keyId, headers } = admission;
  const signal = lazily(() => AbortSignal.any([request.signal, frame.stopping]));
  const sleep = (milliseconds: number): Promise<void> => frame.sleep(milliseconds, signal());

  let response: Response;
  try {
    await applyFaults(faults, 'arrival', sleep);
    if (refusal !== undefined) throw refusal;
    await applyFaults(faults, 'operation', sleep);
    response = respond(await operation.run(await callOf(operation, request, params, keyId, signal, frame)), headers);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refuse(error, operation, headers);
  }
  await applyFaults(faults, 'answer', sleep);
  return response;
}

/**
 * Control requests need the key, and neither faults nor rate windows apply to them. The state is not read: a reset must
 * work when it cannot be read.
 */
function admitControl(operation: Operation, request: Request): Admission {
  try {
    const key = authenticate(request.headers.get('authorization'));
    authorize(key, operation.scope);
    return { faults: [], keyId: key.id, headers: {} };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { faults: [], keyId: '', headers: {}, refusal: error };
  }
}

function admit(
  operation: Operation,
  request: Request,
  params: Readonly<Record<string, string>>,
  state: State,
  now: number,
  frame: Frame,
): Admission {
  const { pathname } = new URL(request.url);
  const faults = takeFaults(injectedFaults.of(state), { method: request.method, path: pathname }, frame.random);
  const isLimited = operation.service !== 'queue' && operation.service !== 'worker';
  const date = { Date: new Date(now).toUTCString() };
  let headers: Headers = date;
  try {
    const key = keyOf(operation, request.headers.get('authorization'), params, state);
    const injected = faultError(faults, 'counting');
    if (injected !== undefined) {
      if (isLimited) headers = { ...date, ...rateHeaders(rateUsage.of(state), frame.quota, now) };
      throw injected;
    }
    if (isLimited) headers = { ...date, ...countRequest(rateUsage.of(state), frame.quota, now) };
    authorize(key, operation.scope);
    return { faults, keyId: key.id, headers };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { faults, keyId: '', headers, refusal: error };
  }
}

function keyOf(
  operation: Operation,
  authorization: string | null,
  params: Readonly<Record<string, string>>,
  state: State,
): Key {
  return operation.service === 'worker'
    ? authenticateWorker(authorization, workerKeyOf(state, params['endpointId'] ?? ''))
    : authenticate(authorization);
}

async function callOf(
  operation: Operation,
  request: Request,
  params: Readonly<Record<string, string>>,
  keyId: string,
  signal: () => AbortSignal,
  frame: Frame,
): Promise<Call> {
  const url = new URL(request.url);
  frame.validator.query(operation, url.searchParams);
  const bodyText = await readBody(request);
  const body = frame.validator.body(operation, bodyText);
  return {
    params,
    query: url.searchParams,
    headers: Object.fromEntries(request.headers.entries()),
    origin: url.origin,
    bodyText,
    body,
    keyId,
    get signal() {
      return signal();
    },
    transact: frame.transact,
    sleep: (milliseconds, until) => frame.sleep(milliseconds, until ?? signal()),
  };
}

async function readBody(request: Request): Promise<string> {
  if (request.body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    // The rest must be read: an answer before the end of the body would break the connection.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
    if (size > MAX_READ_BYTES) break;
  }
  if (size > MAX_READ_BYTES) throw tooLarge(TOO_LARGE, { Connection: 'close' });
  if (size > MAX_BODY_BYTES) throw tooLarge(TOO_LARGE);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Problem(400, 'Bad Request', 'the request body is not UTF-8');
  }
}

function respond(reply: Reply, headers: Headers): Response {
  const all = { ...headers, ...reply.headers };
  if (reply.stream !== undefined) {
    return new Response(streamOf(reply.stream), {
      status: reply.status,
      headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', ...all },
    });
  }
  return reply.body === undefined
    ? new Response(null, { status: reply.status, headers: all })
    : json(reply.status, 'application/json', reply.body, all);
}

function refuse(problem: Problem, operation: Operation, headers: Headers): Response {
  const all = { ...headers, ...problem.headers };
  return operation.service === 'queue' || operation.service === 'worker'
    ? json(problem.status, 'application/json', queueErrorDocument(problem), all)
    : json(problem.status, 'application/problem+json', problemDocument(problem), all);
}

const json = (status: number, type: string, body: Json, headers: Headers): Response =>
  new Response(encodeJson(body), { status, headers: { 'Content-Type': type, ...headers } });

/** Answers a path outside /v1 and /v2. It needs no key. */
export const pathNotServed = (): Response =>
  refuse(
    notFound(
      'nothing here: the management API is under /v2, jobs under /v2/ENDPOINT, the contract at /v2/openapi.json',
    ),
    UNKNOWN,
    {},
  );

/** Answers a path under /v1 or /v2 without an operation. */
export const UNKNOWN: Operation = {
  id: 'unknown',
  service: 'base',
  method: 'GET',
  path: '/',
  scope: 'read',
  run: () => {
    throw notFound();
  },
};

function streamOf(chunks: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const next = await iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
