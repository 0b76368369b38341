import type { Contract, Schema } from './contract.ts';

/** Candidate texts for the patterns of a contract. */
const TEXTS = ['x', '12.4', 'SE', '8080/http', 'ssh-ed25519 AAAA me@host', 'x:y'];

/** Depth to which lists have an item, and optional members are there. */
const DEEPEST = 8;

/** Which members a value has. */
export type Members = 'required' | 'all';

/**
 * Builds a value of a schema: by default the minimal one, with required members only; the first of several enum values.
 * Lists have one item, so that there is something to read.
 */
export function sample(contract: Contract, schema: Schema, members: Members = 'required', depth = 0): unknown {
  const node = whole(contract, schema);
  if ('const' in node) return node['const'];
  if (Array.isArray(node['enum'])) return (node['enum'] as readonly unknown[])[0];
  const type = Array.isArray(node['type']) ? (node['type'] as readonly unknown[])[0] : node['type'];
  switch (type) {
    case 'array': {
      const least = Number(node['minItems'] ?? 0);
      const count = depth > DEEPEST || node['maxItems'] === 0 ? least : Math.max(1, least);
      return Array.from({ length: count }, () => sample(contract, (node['items'] ?? {}) as Schema, members, depth + 1));
    }
    case 'integer':
    case 'number':
      return Number(node['minimum'] ?? 0);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'string':
      return node['format'] === 'date-time' ? '2026-01-01T00:00:00Z' : textOf(node);
    default: {
      const properties = (node['properties'] ?? {}) as Readonly<Record<string, Schema>>;
      const required = (node['required'] ?? []) as readonly string[];
      const names = members === 'all' && depth <= DEEPEST ? Object.keys(properties) : required;
      return Object.fromEntries(
        names.map((name) => [name, sample(contract, properties[name] ?? {}, members, depth + 1)]),
      );
    }
  }
}

/** Flattens a schema: resolves its reference, merges `allOf`, and takes the first alternative. */
function whole(contract: Contract, schema: Schema): Schema {
  const { allOf = [], oneOf = [], anyOf = [], ...node } = contract.resolve(schema) as Record<string, unknown> & Made;
  const parts = [...allOf, ...oneOf.slice(0, 1), ...anyOf.slice(0, 1)].map((part) => whole(contract, part));
  return [...parts, node].reduce<Schema>(
    (sum, part) => ({
      ...sum,
      ...part,
      properties: { ...(sum['properties'] as object | undefined), ...(part['properties'] as object | undefined) },
      required: [...((sum['required'] ?? []) as string[]), ...((part['required'] ?? []) as string[])],
    }),
    {},
  );
}

interface Made {
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

function textOf(node: Schema): string {
  if (typeof node['pattern'] !== 'string') return 'x';
  const pattern = new RegExp(node['pattern'], 'u');
  return TEXTS.find((text) => pattern.test(text)) ?? 'x';
}
