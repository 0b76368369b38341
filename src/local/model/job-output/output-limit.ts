import type { Bytes } from '../../../core/unit-types.ts';

/** The largest output of a job: what the queue takes in one body (specification 8.2, runsync). */
export const MAX_OUTPUT_BYTES: Bytes = 20_000_000;

/** Why an output of this many bytes is not taken. */
export const outputTooLarge = (bytes: Bytes): string =>
  `the output has ${String(bytes)} bytes, and a job may have at most ${String(MAX_OUTPUT_BYTES / 1_000_000)} MB`;
