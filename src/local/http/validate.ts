import { decodeJson, JsonSyntaxError } from '../../core/json.ts';
import { badRequest, unprocessable } from '../contract/problem.ts';
import type { Schema } from '../contract/document.ts';
import type { Call, Operation } from './operation.ts';

/** Loaded here: it takes longer than answering a simple GET, which does not need it. */
const reasonsOf = async (schema: string | Schema, value: unknown): Promise<readonly string[]> =>
  (await import('./schema-checks.ts')).reasonsOf(schema, value);

/** The decoded body; undefined when the operation takes none. Rejects with the 400 or 422 Problem. */
export async function validBody({ body: schema }: Operation, text: string): Promise<unknown> {
  if (schema === undefined) return undefined;
  if (text.trim() === '') throw badRequest('a JSON body is required');
  const value = decoded(text);
  const errors = await reasonsOf(schema, value);
  if (errors.length > 0) throw unprocessable(errors);
  return value;
}

/** 400 Problem for an empty list parameter, 422 for an invalid one. Unknown ones are ignored. */
export async function checkQuery({ parameters = [] }: Operation, query: URLSearchParams): Promise<void> {
  if (query.size === 0) return;
  const errors: string[] = [];
  for (const { name, schema, in: place } of parameters) {
    const given = query.getAll(name);
    if (place !== 'query' || given.length === 0) continue;
    if (schema['type'] === 'array' && itemsIn(given).includes(''))
      throw badRequest(`query ${name}: names nothing where a value is expected`);
    const reasons = await reasonsOf(schema, coerce(schema, given));
    errors.push(...reasons.map((reason) => `query ${name}${reason.replace(/^\/(?=:)/, '')}`));
  }
  if (errors.length > 0) throw unprocessable(errors);
}

/** The valid body of an operation that takes one. */
export const bodyOf = (call: Pick<Call, 'body'>): unknown => call.body ?? {};

function decoded(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(`the body is not JSON: ${placeOfError(text)}`);
  }
}

function placeOfError(text: string): string {
  try {
    decodeJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return `line ${String(error.line)}, column ${String(error.column)}`;
  }
  return 'it cannot be read';
}

const itemsIn = (given: readonly string[]): readonly string[] => given.join(',').split(',');

function coerce(schema: Schema, given: readonly string[]): unknown {
  const [last = ''] = given.slice(-1);
  if (schema['type'] === 'array') return itemsIn(given);
  if (schema['type'] === 'integer') return /^-?\d+$/.test(last) ? Number(last) : last;
  if (schema['type'] === 'boolean') return last === 'true' || (last === 'false' ? false : last);
  return last;
}
