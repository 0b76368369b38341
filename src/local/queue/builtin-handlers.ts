import { decodeJson, encodeJson, type Json, type JsonObject, memberAt, numberOf, stringOf } from '../../core/json.ts';
import type { BuiltinHandler } from '../model/endpoints.ts';
import type { Bytes, Milliseconds } from '../../core/unit-types.ts';

export type Outcome =
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'error'; readonly error: string };

/** Progress depends only on the time since its start. */
export interface Plan {
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
    const text = bytes === undefined ? (words?.[index % words.length] ?? `chunk ${String(index + 1)} `) : filler(bytes);
    return { text: [text], input_tokens: words?.length ?? 0, output_tokens: index + 1 };
  };
  return {
    workMs: count * CHUNK_INTERVAL_MS,
    outcome: () => ({ kind: 'output', text: encodeJson(Array.from({ length: count }, (_, index) => output(index))) }),
    chunksBy: (elapsedMs) => Math.min(count, Math.floor(elapsedMs / CHUNK_INTERVAL_MS)),
    chunk: (index) => ({ output: output(index), metrics: { scenario: 0 } }),
  };
}

/** Text of this size with a counter, so that a lost or repeated piece is noticed. */
function filler(bytes: Bytes): string {
  let text = '';
  for (let line = 0; text.length < bytes; line++) text += `${String(line).padStart(8, '0')} `;
  return text.slice(0, bytes);
}
