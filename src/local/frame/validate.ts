import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { decodeJson, Exact, isObject, JsonSyntaxError, type Json } from '../../core/json.ts';
import { allSchemas } from '../contract/index.ts';
import { sharedParameters, type Parameter } from '../contract/parameters.ts';
import type { Schema } from '../contract/schema.ts';
import type { Call, Operation } from './operation.ts';
import { badRequest, unprocessable } from '../contract/problem.ts';

/** Validates requests against the table's schemas. */
export interface Validator {
  /** The decoded body; undefined when the operation takes none. Throws the 400 or 422 Problem. */
  body(operation: Operation, text: string): Json | undefined;
  /**
   * Throws the 400 Problem when a list parameter has an empty value, and the 422 Problem when a parameter is invalid.
   * Unknown parameters are ignored.
   */
  query(operation: Operation, query: URLSearchParams): void;
}

const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * A schema validator with every schema of the table, by name. Each schema is compiled when it is first used; the tests
 * check that the schemas are valid.
 */
export function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    verbose: true,
    discriminator: true,
    validateSchema: false,
  });
  ajv.addFormat('date-time', (text) => DATE_TIME.test(text) && Number.isFinite(Date.parse(text)));
  ajv.addFormat('uri', (text) => URL.canParse(text));
  ajv.addFormat('float', true);
  ajv.addFormat('double', true);
  const schemas = Object.fromEntries(
    Object.entries(allSchemas).map(([name, schema]) => [name, withoutMapping(schema)]),
  );
  ajv.addSchema({ $id: 'contract', components: { schemas } });
  return ajv;
}

/** Ajv does not support the mapping of a discriminator. Here it only repeats what the branches say. */
function withoutMapping(schema: Schema): Schema {
  const { discriminator, ...rest } = schema as { discriminator?: { propertyName: string } } & Schema;
  return discriminator === undefined
    ? schema
    : {
        ...rest,
        type: 'object',
        required: [discriminator.propertyName],
        discriminator: { propertyName: discriminator.propertyName },
      };
}

export function createValidator(): Validator {
  // Creating the validator takes longer than answering a simple GET, which does not need it.
  let made: Ajv2020 | undefined;
  const ajv = (): Ajv2020 => (made ??= createAjv());
  const ofOwnSchemas = new Map<Schema, ValidateFunction>();

  const ownCheck = (schema: Schema): ValidateFunction => {
    const known = ofOwnSchemas.get(schema);
    if (known !== undefined) return known;
    const check = ajv().compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')) as Schema);
    ofOwnSchemas.set(schema, check);
    return check;
  };

  const namedCheck = (name: string): ValidateFunction => {
    const check = ajv().getSchema(`contract#/components/schemas/${name}`);
    if (check === undefined) throw new Error(`the table has no schema ${name}`);
    return check;
  };

  return {
    body: (operation, text) => {
      if (operation.body === undefined) return undefined;
      if (text.trim() === '') throw badRequest('a JSON body is required');
      const value = decodeBody(text);
      const check = typeof operation.body === 'string' ? namedCheck(operation.body) : ownCheck(operation.body);
      const errors = check(plain(value)) ? [] : reasons(check.errors ?? []);
      if (errors.length > 0) throw unprocessable(errors);
      return value;
    },
    query: (operation, query) => {
      const errors = parametersOf(operation).flatMap((parameter) => {
        const given = query.getAll(parameter.name);
        if (parameter.in !== 'query' || given.length === 0) return [];
        if (parameter.schema['type'] === 'array' && itemsIn(given).includes(''))
          throw badRequest(`query ${parameter.name}: names nothing where a value is expected`);
        const check = ownCheck(parameter.schema);
        return check(coerce(parameter.schema, given))
          ? []
          : reasons(check.errors ?? []).map((reason) => `query ${parameter.name}${reason.replace(/^\/(?=:)/, '')}`);
      });
      if (errors.length > 0) throw unprocessable(errors);
    },
  };
}

/** An operation's parameters, with shared ones resolved. */
export const parametersOf = (operation: Pick<Operation, 'parameters'>): readonly Parameter[] =>
  (operation.parameters ?? []).flatMap((parameter) =>
    typeof parameter === 'string' ? (sharedParameters[parameter] ?? []) : parameter,
  );

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

/** The values of a list parameter: comma-separated in one value, or given several times. */
const itemsIn = (given: readonly string[]): readonly string[] => given.join(',').split(',');

function coerce(schema: Schema, given: readonly string[]): unknown {
  const [last = ''] = given.slice(-1);
  if (schema['type'] === 'array') return itemsIn(given);
  if (schema['type'] === 'integer') return /^-?\d+$/.test(last) ? Number(last) : last;
  if (schema['type'] === 'boolean') return last === 'true' || (last === 'false' ? false : last);
  return last;
}

/** The distinct errors, each a JSON path and a reason (specification 7.1). */
function reasons(errors: readonly ErrorObject[]): string[] {
  return [...new Set(errors.flatMap((error) => reason(error) ?? []))];
}

function reason({ keyword, instancePath, params, message, parentSchema }: ErrorObject): string | undefined {
  const at = (member?: unknown): string =>
    typeof member === 'string' ? `${instancePath}/${pointer(member)}` : instancePath || '/';
  const details = params as Readonly<Record<string, unknown>>;
  switch (keyword) {
    // The keyword that failed inside reports the error.
    case 'if':
    case 'anyOf':
      return undefined;
    case 'oneOf':
      return details['passingSchemas'] === null ? undefined : `${at()}: fits more than one of the forms it may have`;
    case 'required':
      return `${at()}: missing required member ${JSON.stringify(details['missingProperty'])}`;
    case 'additionalProperties':
      return `${at(details['additionalProperty'])}: unknown member, not allowed`;
    case 'unevaluatedProperties':
      // Ajv does not mark the members of an allOf branch that failed as evaluated. Such a member is known, and its own
      // errors are reported separately.
      return knownMembers(parentSchema as Schema).includes(details['unevaluatedProperty'] as string)
        ? undefined
        : `${at(details['unevaluatedProperty'])}: unknown member, not allowed`;
    case 'enum':
      return `${at()}: must be one of ${(details['allowedValues'] as readonly unknown[]).join(', ')}`;
    default:
      return `${at()}: ${message ?? keyword}`;
  }
}

/** The names of the members of a schema, its allOf branches included. */
function knownMembers(schema: Schema): readonly string[] {
  const {
    $ref,
    allOf = [],
    properties = {},
  } = schema as { $ref?: string; allOf?: readonly Schema[]; properties?: object };
  const named = $ref === undefined ? undefined : allSchemas[$ref.slice($ref.lastIndexOf('/') + 1)];
  return [
    ...Object.keys(properties),
    ...allOf.flatMap((part) => knownMembers(part)),
    ...(named === undefined ? [] : knownMembers(named)),
  ];
}

const pointer = (member: string): string => member.replaceAll('~', '~0').replaceAll('/', '~1');
