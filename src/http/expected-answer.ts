import type { ApiRequest, Expected } from '../core/api.ts';
import { isUsableId } from '../core/ids.ts';
import { Exact, isObject, memberOf, numberOf, stringOf, type Json, type JsonObject } from '../core/json.ts';
import { safeText } from '../core/safe-text.ts';

/** The kind of answer a request expects; by default `nothing` for DELETE and `object` for all other methods. */
export const expectedOf = ({ expects, method }: Pick<ApiRequest, 'expects' | 'method'>): Expected =>
  expects ?? (method === 'DELETE' ? 'nothing' : 'object');

/**
 * Says why a JSON document cannot be the answer to a request, as a clause without a final stop; undefined when it can.
 * No other code decides this.
 */
export function mismatchOf(value: Json, request: ApiRequest): string | undefined {
  const expected = expectedOf(request);
  if (expected === 'anything' || expected === 'bytes') return undefined;
  if (expected === 'chunks' && Array.isArray(value)) return undefined;
  if (!isObject(value)) return `the answer is ${kindOf(value)} where an object belongs`;
  if (isProblem(value)) return 'the answer reports an error, and its status reports success';
  if (typeof expected === 'object')
    return 'list' in expected ? listProblem(value, expected.list) : hasProblem(value, expected.has, request.id);
  switch (expected) {
    case 'nothing':
      return hasError(value)
        ? 'the answer reports an error, and its status reports success'
        : aboutAnother(value, request.id);
    case 'created':
      return idProblem(memberOf(value, 'id'));
    case 'resource':
      return idProblem(memberOf(value, 'id')) ?? aboutAnother(value, request.id);
    case 'object':
    case 'chunks':
      return aboutAnother(value, request.id);
  }
}

const listProblem = (value: JsonObject, name: string): string | undefined =>
  Array.isArray(memberOf(value, name)) ? undefined : `the answer has no list of ${JSON.stringify(name)}`;

function hasProblem(value: JsonObject, name: string, asked: string | undefined): string | undefined {
  const member = memberOf(value, name);
  if ((stringOf(member) ?? numberOf(member)) === undefined) return `the answer has no ${JSON.stringify(name)}`;
  return asked === undefined ? undefined : (idProblem(memberOf(value, 'id')) ?? aboutAnother(value, asked));
}

const aboutAnother = (value: JsonObject, asked: string | undefined): string | undefined =>
  asked === undefined || isAbout(value, asked) ? undefined : otherId(value, asked);

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (value instanceof Exact) return 'a number';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** A problem document (RFC 9457) without its content type. A job's `status` is a string, never a number. */
const isProblem = (value: JsonObject): boolean =>
  (numberOf(memberOf(value, 'status')) ?? 0) >= 400 &&
  (stringOf(memberOf(value, 'title')) ?? stringOf(memberOf(value, 'detail'))) !== undefined;

function hasError(value: JsonObject): boolean {
  const error = memberOf(value, 'error');
  return error !== undefined && error !== null && error !== false && error !== '';
}

function idProblem(id: Json | undefined): string | undefined {
  if (id === undefined || id === null) return 'the answer has no id';
  const text = stringOf(id);
  if (text === undefined) return `the id in the answer is ${kindOf(id)}, not a string`;
  return isUsableId(text) ? undefined : `the answer has ${shown(text)} for an id`;
}

/**
 * Whether a document is about the id that was asked for. A document without an id counts as a match. Case is ignored. A
 * service may accept a name instead of an id and answer with both, so the names count too.
 */
function isAbout(value: JsonObject, asked: string): boolean {
  const id = memberOf(value, 'id');
  if (id === undefined || id === null) return true;
  const wanted = asked.toLowerCase();
  return [id, memberOf(value, 'name'), memberOf(value, 'displayName')].some(
    (each) => (typeof each === 'object' ? '' : String(each)).toLowerCase() === wanted,
  );
}

const otherId = (value: JsonObject, asked: string): string => {
  const id = memberOf(value, 'id');
  const said = typeof id === 'object' ? 'something else' : shown(String(id));
  return `asked about ${shown(asked)}, the service answered about ${said}`;
};

const shown = (text: string): string => `"${safeText(text).slice(0, 100)}"`;
