import type { RateWindow } from '../../core/api.ts';
import type { EpochMs } from '../../core/unit-types.ts';

type Headers = Readonly<Record<string, string>>;
type Parameters = ReadonlyMap<string, unknown>;

/** Whether an answer has rate windows. */
export const hasWindows = (headers: Headers): boolean =>
  headers['ratelimit'] !== undefined || headers['ratelimit-policy'] !== undefined;

/**
 * Reads the rate windows of an answer (specification 8.1): RateLimit says what is left, RateLimit-Policy says the quota.
 * Windows of any name are read. A header that is not a structured-field list counts as absent, and unknown parameters
 * are ignored.
 */
export async function readWindows(headers: Headers, now: EpochMs): Promise<readonly RateWindow[]> {
  const left = headers['ratelimit'];
  const policy = headers['ratelimit-policy'];
  const { parseList } = await import('structured-headers');
  const members = (text: string | undefined): Map<string, Parameters> => {
    try {
      return new Map(
        parseList(text ?? '').flatMap(([item, parameters]) => {
          const name = typeof item === 'string' ? item : Array.isArray(item) ? '' : String(item);
          return name === '' ? [] : [[name, parameters] as const];
        }),
      );
    } catch {
      return new Map();
    }
  };
  const remaining = members(left);
  const quotas = members(policy);
  return [...new Set([...quotas.keys(), ...remaining.keys()])].map((name) => ({
    name,
    remaining: count(remaining.get(name), 'r'),
    resetSeconds: count(remaining.get(name), 't'),
    quota: count(quotas.get(name), 'q'),
    windowSeconds: count(quotas.get(name), 'w'),
    seenAt: now,
  }));
}

function count(parameters: Parameters | undefined, name: string): number | undefined {
  const value = parameters?.get(name);
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
