import { parseList } from 'structured-headers';
import type { RateWindow } from '../core/api.ts';

type Parameters = ReadonlyMap<string, unknown>;

/** Specification 8.1. A header that is not a structured-field list counts as absent. */
export function readWindows(headers: Readonly<Record<string, string>>): readonly RateWindow[] {
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
  const remaining = members(headers['ratelimit']);
  const quotas = members(headers['ratelimit-policy']);
  return [...new Set([...quotas.keys(), ...remaining.keys()])].map((name) => ({
    name,
    remaining: count(remaining.get(name), 'r'),
    quota: count(quotas.get(name), 'q'),
    resetSeconds: count(remaining.get(name), 't'),
    windowSeconds: count(quotas.get(name), 'w'),
  }));
}

function count(parameters: Parameters | undefined, name: string): number | undefined {
  const value = parameters?.get(name);
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
