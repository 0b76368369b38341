import {
  arrayOf,
  decodeJson,
  encodeJson,
  isObject,
  type Json,
  type JsonObject,
  memberAt,
  numberOf,
  stringOf,
} from '../../core/json.ts';
import type { Bytes, Milliseconds } from '../../core/unit-types.ts';
import { type BuiltinHandler, builtinOf, type EndpointRecord } from '../model/endpoints.ts';
import type { Job, StreamPosition } from './records.ts';

export type Outcome =
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'error'; readonly error: string };

/** Progress depends only on the time since its start. */
interface Plan {
  readonly workMs: Milliseconds;
  outcome(): Outcome;
  chunksBy(elapsedMs: Milliseconds): number;
  chunk(index: number): Chunk;
}

export interface Chunk {
  readonly output: Json;
  readonly metrics: JsonObject;
}

const QUICK_MS = 10;
export const CHUNK_INTERVAL_MS: Milliseconds = 200;
const MAX_CHUNKS = 10_000;
const MAX_STREAMED_BYTES = 20_000_000;
const MAX_SLEEP_S = 604_800;

/** The first attempt is 1. `input` is JSON text. */
export function planOf(handler: BuiltinHandler, input: string, attempt: number): Plan {
  switch (handler) {
    case 'echo':
      return done(QUICK_MS, input);
    case 'demo':
      return done(1000, input);
    case 'sleep':
      return sleep(decodeJson(input));
    case 'fail':
      return fail(decodeJson(input), attempt);
    case 'stream':
      return stream(decodeJson(input));
    case 'unserved':
      return refused('the handler module of this endpoint is not served now: berth local serve --endpoint NAME=FILE');
  }
}

const unstreamed = (workMs: Milliseconds, outcome: Outcome): Plan => ({
  workMs,
  outcome: () => outcome,
  chunksBy: () => 0,
  chunk: () => ({ output: null, metrics: {} }),
});

const done = (workMs: Milliseconds, text: string): Plan => unstreamed(workMs, { kind: 'output', text });

const refused = (error: string): Plan => unstreamed(QUICK_MS, { kind: 'error', error });

function sleep(input: Json): Plan {
  const seconds = numberOf(memberAt(input, 'seconds'));
  if (seconds === undefined || seconds < 0 || seconds > MAX_SLEEP_S)
    return refused(`sleep needs {"seconds": n}, a number from 0 to ${String(MAX_SLEEP_S)}`);
  return done(Math.round(seconds * 1000), JSON.stringify({ slept: seconds }));
}

/** Fails always, or with `{"times": n}` only on the first n attempts, to show a successful retry. */
function fail(input: Json, attempt: number): Plan {
  const times = numberOf(memberAt(input, 'times'));
  if (times !== undefined && attempt > times) return done(QUICK_MS, JSON.stringify({ attempts: attempt }));
  return refused(stringOf(memberAt(input, 'error')) ?? 'the handler failed, as it was asked to');
}

/** Each 200 ms one of `chunks` (default 5) with `bytes` characters, or the words of `prompt`. */
function stream(input: Json): Plan {
  const words = stringOf(memberAt(input, 'prompt'))?.match(/\S+\s*/g) ?? undefined;
  const count = numberOf(memberAt(input, 'chunks')) ?? words?.length ?? 5;
  const bytes = numberOf(memberAt(input, 'bytes'));
  if (!Number.isInteger(count) || count < 0 || count > MAX_CHUNKS)
    return refused(`stream needs {"chunks": n}, a whole number from 0 to ${String(MAX_CHUNKS)}`);
  if (bytes !== undefined && (!Number.isInteger(bytes) || bytes < 0 || bytes * count > MAX_STREAMED_BYTES))
    return refused(`stream makes at most ${String(MAX_STREAMED_BYTES)} bytes in all: chunks times bytes`);
  const output = (index: number): JsonObject => {
    const text =
      bytes === undefined
        ? (words?.[index % words.length] ?? `chunk ${String(index + 1)} `)
        : ''.padEnd(bytes, '0123456789abcdefghijklmnopqrstuvwxyz ');
    return { text: [text], input_tokens: words?.length ?? 0, output_tokens: index + 1 };
  };
  return {
    workMs: count * CHUNK_INTERVAL_MS,
    outcome: () => ({ kind: 'output', text: encodeJson(Array.from({ length: count }, (_, index) => output(index))) }),
    chunksBy: (elapsedMs) => Math.min(count, Math.floor(elapsedMs / CHUNK_INTERVAL_MS)),
    chunk: (index) => ({ output: output(index), metrics: { scenario: 0 } }),
  };
}

/** The maximum size of one streamed chunk, as JSON text (specification 8.2). */
export const MAX_CHUNK_BYTES: Bytes = 1_000_000;

/** The maximum size of the chunks in one answer of `stream`; the rest is sent with the next poll. */
const MAX_ANSWER_BYTES = 10_000_000;

export const NO_CHUNKS: StreamPosition = { made: 0, numbered: 0, pending: [] };

export function withChunks(job: Job, endpoint: EndpointRecord | undefined, at: number): Job {
  if (job.startedAt === undefined || job.status !== 'IN_PROGRESS') return job;
  const handler = builtinOf(endpoint);
  if (handler === undefined) return job;
  const plan = planOf(handler, job.input, job.attempt);
  const due = plan.chunksBy(at - job.startedAt);
  let stream = job.stream;
  while (stream.made < due) stream = appendChunk(stream, plan.chunk(stream.made));
  return stream === job.stream ? job : { ...job, stream };
}

/** Splits what is too large for one chunk. */
export function appendChunk(stream: StreamPosition, { output, metrics }: Chunk): StreamPosition {
  const room = MAX_CHUNK_BYTES - bytesOf(chunkText(null, metrics, Number.MAX_SAFE_INTEGER));
  const texts = split(output, room).map((piece, index) => chunkText(piece, metrics, stream.numbered + index));
  return {
    made: stream.made + 1,
    numbered: stream.numbered + texts.length,
    pending: [...stream.pending, ...texts],
  };
}

export function takeChunks(stream: StreamPosition): {
  readonly taken: readonly string[];
  readonly rest: StreamPosition;
} {
  let bytes = 0;
  const fits = stream.pending.findIndex((text) => (bytes += bytesOf(text)) > MAX_ANSWER_BYTES);
  const count = fits < 0 ? stream.pending.length : Math.max(1, fits);
  return { taken: stream.pending.slice(0, count), rest: { ...stream, pending: stream.pending.slice(count) } };
}

const chunkText = (output: Json, metrics: JsonObject, index: number): string =>
  encodeJson({ output, metrics: { ...metrics, stream_index: index } });

/** Pieces of at most `room` bytes as JSON; joined, they are the complete output. */
function split(output: Json, room: number): readonly Json[] {
  const whole = encodeJson(output);
  if (bytesOf(whole) <= room) return [output];
  if (typeof output === 'string') return cut(output, room);
  const texts = isObject(output) ? arrayOf(output.text) : undefined;
  if (isObject(output) && texts?.every((text) => typeof text === 'string') === true) {
    const left = room - bytesOf(encodeJson({ ...output, text: [''] }));
    if (left > room / 2) return texts.flatMap((text) => cut(text, left).map((piece) => ({ ...output, text: [piece] })));
  }
  return cut(whole, room);
}

/** Between characters; `room` counts the bytes of the JSON text. */
function cut(text: string, room: number): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length || parts.length === 0;) {
    let to = Math.min(text.length, from + room);
    for (let bytes = bytesOf(JSON.stringify(text.slice(from, to))); bytes > room;) {
      to = from + Math.floor(((to - from) * room) / bytes) - 1;
      bytes = bytesOf(JSON.stringify(text.slice(from, to)));
    }
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** Strings are matched only to skip them. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

export const withoutNumbersNotJson = (text: string): string =>
  text.replace(STRING_OR_NUMBER, (found) => (found.startsWith('"') ? found : 'null'));

export function numberNotJson(text: string): string | undefined {
  for (const [found] of text.matchAll(STRING_OR_NUMBER)) if (!found.startsWith('"')) return found;
  return undefined;
}

/** The largest output of a job: what the queue takes in one body (specification 8.2, runsync). */
export const MAX_OUTPUT_BYTES: Bytes = 20_000_000;

export const outputTooLarge = (bytes: Bytes): string =>
  `the output has ${String(bytes)} bytes, and a job may have at most ${String(MAX_OUTPUT_BYTES / 1_000_000)} MB`;
