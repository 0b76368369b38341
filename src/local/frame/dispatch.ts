/* eslint-disable no-restricted-globals -- the local service answers in the web's own classes, and no plain command loads it */
import { encodeJson, type Json } from '../../core/json.ts';
import { authenticate, authorize } from './auth.ts';
import { strike, type FaultKind, type FaultRecord } from './faults.ts';
import type { Call, Operation, Reply } from './operation.ts';
import { lowBalance, notFound, Problem, problemDocument, serverError, tooLarge } from '../contract/problem.ts';
import { queueError } from '../queue/index.ts';
import { rateHeaders, spend, tooMany, type Quota } from './rate-limit.ts';
import type { State } from '../state/state.ts';
import type { Validator } from './validate.ts';

/** The connection is to break in place of an answer: an injected fault. */
export class DroppedConnection extends Error {
  override readonly name = 'DroppedConnection';
  /** The request took effect all the same. */
  readonly accepted: boolean;
  constructor(accepted: boolean) {
    super(accepted ? 'the connection was dropped after the request took effect' : 'the connection was dropped');
    this.accepted = accepted;
  }
}

/** What every request is answered with. */
export interface Frame {
  readonly quota: Quota;
  readonly random: () => number;
  readonly validator: Validator;
  readonly transact: Call['transact'];
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

/** Above the largest payload that any operation takes (specification 8.2), so that each refuses its own in its words. */
const LARGEST_BODY = 22_000_000;

/** Of a larger body so much is read, then the connection is closed. */
const MOST_READ = 256_000_000;

const TOO_LARGE = 'the request body is larger than 20 MB';

interface Admission {
  readonly faults: readonly FaultRecord[];
  readonly keyId: string;
  /** RateLimit and RateLimit-Policy, once the key is known. */
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal?: Problem;
}

/**
 * Answers one request of an operation: faults, key, rate windows, scope, query and body, in this order, then the
 * operation itself. Rejects with DroppedConnection where a fault says so, and with a local-file Failure (14) where the
 * state cannot be kept.
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
      : await frame.transact((state, now) => admit(operation, request, state, now, frame));
  const fault = (kind: FaultKind): FaultRecord | undefined => admission.faults.find((struck) => struck.kind === kind);
  const signal = lazily(() => AbortSignal.any([request.signal, frame.stopping]));

  const latency = fault('latency');
  if (latency !== undefined) await frame.sleep(latency.latencyMs ?? 1000, signal());
  if (fault('drop') !== undefined) throw new DroppedConnection(false);

  let response: Response;
  try {
    const broken = fault('server-error');
    if (broken !== undefined) throw serverError(broken.status ?? 503);
    if (admission.refusal !== undefined) throw admission.refusal;
    if (fault('low-balance') !== undefined) throw lowBalance();
    response = respond(
      await operation.run(await callOf(operation, request, params, admission.keyId, signal, frame)),
      admission.headers,
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refuse(error, operation, admission.headers);
  }
  if (fault('accept-drop') !== undefined) throw new DroppedConnection(true);
  return response;
}

/**
 * Control requests need the key, count against nothing and are struck by nothing. The state is not looked at: a reset
 * is the way out where it cannot be read.
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

function admit(operation: Operation, request: Request, state: State, now: number, frame: Frame): Admission {
  const { pathname } = new URL(request.url);
  const faults = strike(state.faults, { method: request.method, path: pathname }, frame.random);
  const date = { Date: new Date(now).toUTCString() };
  let headers: Readonly<Record<string, string>> = date;
  try {
    const key = authenticate(request.headers.get('authorization'));
    const limit = faults.find(({ kind }) => kind === 'rate-limit');
    const limited = operation.service !== 'queue';
    if (limit !== undefined)
      throw tooMany(
        'minute',
        limit.retryAfter ?? 1,
        limited ? { ...date, ...rateHeaders(state.rate, frame.quota, now) } : date,
      );
    if (limited) headers = { ...date, ...spend(state.rate, frame.quota, now) };
    authorize(key, operation.scope);
    return { faults, keyId: key.id, headers };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { faults, keyId: '', headers, refusal: error };
  }
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
    sleep: (milliseconds) => frame.sleep(milliseconds, signal()),
  };
}

async function readBody(request: Request): Promise<string> {
  if (request.body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    // The rest is read all the same: an answer before the end of the body would break the connection.
    if (size <= LARGEST_BODY) chunks.push(chunk);
    else chunks.length = 0;
    if (size > MOST_READ) break;
  }
  if (size > MOST_READ) throw tooLarge(TOO_LARGE, { Connection: 'close' });
  if (size > LARGEST_BODY) throw tooLarge(TOO_LARGE);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Problem(400, 'Bad Request', 'the request body is not UTF-8');
  }
}

function respond(reply: Reply, headers: Readonly<Record<string, string>>): Response {
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

function refuse(problem: Problem, operation: Operation, headers: Readonly<Record<string, string>>): Response {
  const all = { ...headers, ...problem.headers };
  return operation.service === 'queue'
    ? json(problem.status, 'application/json', queueError(problem), all)
    : json(problem.status, 'application/problem+json', problemDocument(problem), all);
}

const json = (status: number, type: string, body: Json, headers: Readonly<Record<string, string>>): Response =>
  new Response(encodeJson(body), { status, headers: { 'Content-Type': type, ...headers } });

/** Where nothing is served at all: no key is asked for, and the answer says where things are. */
export const nothingHere = (): Response =>
  refuse(
    notFound(
      'nothing here: the management API is under /v2, jobs under /v2/ENDPOINT, the contract at /v2/openapi.json',
    ),
    UNKNOWN,
    {},
  );

/** Answers a path under /v2 or /v1 that no operation has. */
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
