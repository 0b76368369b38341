import { arrayOf, encodeJson, isObject, type Json, type JsonObject } from '../../core/json.ts';
import { planOf, type Chunk } from './builtin-handlers.ts';
import { builtinOf, type EndpointRecord } from '../model/endpoints.ts';
import type { Job, StreamPosition } from './records.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** The maximum size of one streamed chunk, as JSON text (specification 8.2). */
export const MAX_CHUNK_BYTES: Bytes = 1_000_000;

/** The maximum size of the chunks in one answer of `stream`; the rest is sent with the next poll. */
const MAX_ANSWER_BYTES = 10_000_000;

export const NO_CHUNKS: StreamPosition = { made: 0, numbered: 0, pending: [] };

/** The same record when there are none. */
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

/** At least one chunk when there is one. */
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
