import { decodeJson, Exact, isObject, type Json, JsonSyntaxError } from '../../core/json.ts';
import { badRequest, unprocessable } from '../contract/problem.ts';
import type { Schema } from '../contract/document.ts';
import type { Call, Operation } from './operation.ts';
import type { SchemaChecks } from './schema-checks.ts';

export interface Validator {
  /** The decoded body; undefined when the operation takes none. Rejects with the 400 or 422 Problem. */
  body(operation: Operation, text: string): Promise<Json | undefined>;
  /** 400 Problem for an empty list parameter, 422 for an invalid one. Unknown ones are ignored. */
  query(operation: Operation, query: URLSearchParams): Promise<void>;
}

export function createValidator(): Validator {
  // Loading and creating the checks takes longer than answering a simple GET, which does not need them.
  let made: SchemaChecks | undefined;
  const checks = async (): Promise<SchemaChecks> => {
    const { createSchemaChecks } = await import('./schema-checks.ts');
    return (made ??= createSchemaChecks());
  };

  return {
    body: async ({ body: schema }, text) => {
      if (schema === undefined) return undefined;
      if (text.trim() === '') throw badRequest('a JSON body is required');
      const value = decodeBody(text);
      const errors = (made ?? (await checks())).reasons(schema, plain(value));
      if (errors.length > 0) throw unprocessable(errors);
      return value;
    },
    query: async ({ parameters = [] }, query) => {
      if (query.size === 0) return;
      const errors: string[] = [];
      for (const { name, schema, in: place } of parameters) {
        const given = query.getAll(name);
        if (place !== 'query' || given.length === 0) continue;
        if (schema['type'] === 'array' && itemsIn(given).includes(''))
          throw badRequest(`query ${name}: names nothing where a value is expected`);
        const reasons = (made ?? (await checks())).reasons(schema, coerce(schema, given));
        errors.push(...reasons.map((reason) => `query ${name}${reason.replace(/^\/(?=:)/, '')}`));
      }
      if (errors.length > 0) throw unprocessable(errors);
    },
  };
}

/** A validated body as plain values: exact numbers are converted to the nearest double. */
export const bodyOf = (call: Pick<Call, 'body'>): unknown => plain(call.body ?? {});

function decodeBody(text: string): Json {
  try {
    return decodeJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw badRequest(`the body is not JSON: line ${String(error.line)}, column ${String(error.column)}`);
  }
}

function plain(value: Json): unknown {
  if (value instanceof Exact) return Number(value.text);
  if (Array.isArray(value)) return value.map((item: Json) => plain(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member ?? null)]));
}

const itemsIn = (given: readonly string[]): readonly string[] => given.join(',').split(',');

function coerce(schema: Schema, given: readonly string[]): unknown {
  const [last = ''] = given.slice(-1);
  if (schema['type'] === 'array') return itemsIn(given);
  if (schema['type'] === 'integer') return /^-?\d+$/.test(last) ? Number(last) : last;
  if (schema['type'] === 'boolean') return last === 'true' || (last === 'false' ? false : last);
  return last;
}
