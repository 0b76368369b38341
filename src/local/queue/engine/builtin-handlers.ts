import {
  decodeJson,
  encodeJson,
  memberAt,
  numberOf,
  stringOf,
  type Json,
  type JsonObject,
} from '../../../core/json.ts';
import type { BuiltinHandler } from '../../model/endpoints/record.ts';

/** How a handler's run ends: JSON text, or an error in words. */
export type Outcome =
  { readonly kind: 'output'; readonly text: string } | { readonly kind: 'error'; readonly error: string };

/** A whole run, known from the start: what has happened of it follows from the time that has passed. */
export interface Plan {
  /** How long it works, in milliseconds. */
  readonly workMs: number;
  outcome(): Outcome;
  /** How many chunks are there so many milliseconds after the start. */
  chunksBy(elapsedMs: number): number;
  /** A chunk by its number from 0. */
  chunk(index: number): Chunk;
}

export interface Chunk {
  readonly output: Json;
  readonly metrics: JsonObject;
}

const QUICK_MS = 10;
/** A built-in handler that streams yields a chunk every so many milliseconds. */
export const CHUNK_MS = 200;
const MOST_CHUNKS = 10_000;
const MOST_STREAMED_BYTES = 20_000_000;
const LONGEST_SLEEP_S = 604_800;

/** What a built-in handler will do with an input (JSON text of an object). `attempt` counts the job's starts from 1. */
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

const unstreamed = (workMs: number, outcome: Outcome): Plan => ({
  workMs,
  outcome: () => outcome,
  chunksBy: () => 0,
  chunk: () => ({ output: null, metrics: {} }),
});

const done = (workMs: number, text: string): Plan => unstreamed(workMs, { kind: 'output', text });

const refused = (error: string): Plan => unstreamed(QUICK_MS, { kind: 'error', error });

function sleep(input: Json): Plan {
  const seconds = numberOf(memberAt(input, 'seconds'));
  if (seconds === undefined || seconds < 0 || seconds > LONGEST_SLEEP_S)
    return refused(`sleep needs {"seconds": n}, a number from 0 to ${String(LONGEST_SLEEP_S)}`);
  return done(Math.round(seconds * 1000), JSON.stringify({ slept: seconds }));
}

/** Fails, always or (`{"times": n}`) on the first n attempts, so that a retry can be seen to help. */
function fail(input: Json, attempt: number): Plan {
  const times = numberOf(memberAt(input, 'times'));
  if (times !== undefined && attempt > times) return done(QUICK_MS, JSON.stringify({ attempts: attempt }));
  return refused(stringOf(memberAt(input, 'error')) ?? 'the handler failed, as it was asked to');
}

/**
 * A chunk every 200 ms: `chunks` of them (default 5), each of `bytes` characters where that is given, or the words of
 * `prompt` one by one. The final output is the list of what the chunks said.
 */
function stream(input: Json): Plan {
  const words = stringOf(memberAt(input, 'prompt'))?.match(/\S+\s*/g) ?? undefined;
  const count = numberOf(memberAt(input, 'chunks')) ?? words?.length ?? 5;
  const bytes = numberOf(memberAt(input, 'bytes'));
  if (!Number.isInteger(count) || count < 0 || count > MOST_CHUNKS)
    return refused(`stream needs {"chunks": n}, a whole number from 0 to ${String(MOST_CHUNKS)}`);
  if (bytes !== undefined && (!Number.isInteger(bytes) || bytes < 0 || bytes * count > MOST_STREAMED_BYTES))
    return refused(`stream makes at most ${String(MOST_STREAMED_BYTES)} bytes in all: chunks times bytes`);
  const output = (index: number): JsonObject => {
    const text = bytes === undefined ? (words?.[index % words.length] ?? `chunk ${String(index + 1)} `) : filler(bytes);
    return { text: [text], input_tokens: words?.length ?? 0, output_tokens: index + 1 };
  };
  return {
    workMs: count * CHUNK_MS,
    outcome: () => ({ kind: 'output', text: encodeJson(Array.from({ length: count }, (_, index) => output(index))) }),
    chunksBy: (elapsedMs) => Math.min(count, Math.floor(elapsedMs / CHUNK_MS)),
    chunk: (index) => ({ output: output(index), metrics: { scenario: 0 } }),
  };
}

/** Text of so many bytes, told apart by its counting so that a lost or repeated piece shows. */
function filler(bytes: number): string {
  let text = '';
  for (let line = 0; text.length < bytes; line++) text += `${String(line).padStart(8, '0')} `;
  return text.slice(0, bytes);
}
