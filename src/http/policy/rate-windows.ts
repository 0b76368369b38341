import type { RateWindow } from '../../core/api.ts';

type Headers = Readonly<Record<string, string>>;
type Parameters = ReadonlyMap<string, unknown>;

/**
 * The rate windows that an answer tells of (specification 8.1): RateLimit says what is left, RateLimit-Policy how much
 * there is. Windows of any name count; a header that is not a structured-field list counts as absent; parameters
 * beyond the known ones are passed over. `now` in milliseconds since the epoch.
 */
export async function readWindows(headers: Headers, now: number): Promise<readonly RateWindow[]> {
  const left = headers['ratelimit'];
  const policy = headers['ratelimit-policy'];
  if (left === undefined && policy === undefined) return [];
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
