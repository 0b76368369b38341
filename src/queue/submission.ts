import { encodeJson, Exact, isObject, type Json } from '../core/json.ts';
import { PAYLOAD_LIMITS } from './limits.ts';
import type { Milliseconds } from '../core/unit-types.ts';

export interface JobOptions {
  readonly webhook?: string | undefined;
  readonly executionTimeout?: Milliseconds | undefined;
  readonly ttl?: Milliseconds | undefined;
  readonly lowPriority?: boolean | undefined;
}

/** JSON text: `,"policy":{"ttl":60000}`, or empty. */
export function optionsText({ webhook, executionTimeout, ttl, lowPriority }: JobOptions): string {
  const policy = encodeJson({ executionTimeout, lowPriority: lowPriority === true || undefined, ttl });
  const text = encodeJson({ webhook, policy: policy === '{}' ? undefined : new Exact(policy) }).slice(1, -1);
  return text === '' ? '' : `,${text}`;
}

/** Members of a submission beside `input` (contract rules, Queue API). */
const BESIDE_INPUT: readonly string[] = ['webhook', 'policy', 's3Config'];

/** A whole submission, which would become the input of another one. */
export const isSubmission = (value: Json): boolean =>
  isObject(value) &&
  Object.keys(value).length > 1 &&
  Object.hasOwn(value, 'input') &&
  Object.keys(value).every((name) => name === 'input' || BESIDE_INPUT.includes(name));

const OPEN = Buffer.from('{"input":');
const CLOSE = Buffer.from('}');

export const maxInputBytes = (options: string): number =>
  PAYLOAD_LIMITS.run - submissionBody(new Uint8Array(0), options).byteLength;

/** The input must be JSON text and is kept byte for byte. */
export const submissionBody = (input: Uint8Array, options: string): Uint8Array =>
  Buffer.concat([OPEN, input, options === '' ? CLOSE : Buffer.from(`${options}}`)]);
