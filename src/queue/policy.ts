import { usage } from '../core/failure.ts';
import type { JsonObject } from '../core/json.ts';

/** Bounds of the policy members and of the wait of runsync, in milliseconds (contract rules, queue API). */
export const BOUNDS = {
  syncWait: [1000, 300_000],
  executionTimeout: [5000, 604_800_000],
  ttl: [10_000, 604_800_000],
} as const;

/** Members that stand beside the input in the body of a submission. */
export function extras(values: {
  readonly webhook: string | undefined;
  readonly executionTimeout: number | undefined;
  readonly ttl: number | undefined;
  readonly lowPriority: boolean;
}): JsonObject {
  const policy = {
    ...(values.executionTimeout === undefined ? {} : { executionTimeout: values.executionTimeout }),
    ...(values.lowPriority ? { lowPriority: true } : {}),
    ...(values.ttl === undefined ? {} : { ttl: values.ttl }),
  };
  return {
    ...(values.webhook === undefined ? {} : { webhook: values.webhook }),
    ...(Object.keys(policy).length === 0 ? {} : { policy }),
  };
}

/** Fails with usage (2) where a time is outside its bounds; milliseconds. */
export function inBounds(label: string, value: number | undefined, [least, most]: readonly [number, number]): void {
  if (value !== undefined && (value < least || value > most))
    throw usage(
      `${label} is ${String(least / 1000)} s to ${String(most / 1000)} s; ${String(value / 1000)} s is outside`,
    );
}
