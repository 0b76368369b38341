import type { JsonObject } from '../../core/json.ts';

/** A JSON Schema (2020-12) of what `--json` prints, as data. Schemas of the published contract are named, not copied. */
export type OutputSchema = JsonObject;

type Members = Readonly<Record<string, OutputSchema>>;

export const TEXT: OutputSchema = { type: 'string' };
export const WHOLE: OutputSchema = { type: 'integer' };
export const NUMBER: OutputSchema = { type: 'number' };
export const YES_NO: OutputSchema = { type: 'boolean' };
export const TIME: OutputSchema = { type: 'string', format: 'date-time' };
/** Any JSON value. */
export const ANYTHING: OutputSchema = {};
export const ANY_OBJECT: OutputSchema = { type: 'object' };

/** What the reference to a schema of the contract begins with; the name of the schema follows. */
export const CONTRACT_PREFIX = 'contract:';

/** The schema of this name of the published contract. */
export const contractSchema = (name: string): OutputSchema => ({ $ref: CONTRACT_PREFIX + name });

export const oneOf = (...words: readonly string[]): OutputSchema => ({ type: 'string', enum: words });

export const manyOf = (items: OutputSchema): OutputSchema => ({ type: 'array', items });

/** A value or null. */
export const orNull = ({ type, ...schema }: OutputSchema): OutputSchema =>
  typeof type === 'string' && schema['enum'] === undefined
    ? { ...schema, type: [type, 'null'] }
    : { anyOf: [{ ...schema, ...(type === undefined ? {} : { type }) }, { type: 'null' }] };

/** What is printed is one of several documents. */
export const either = (...schemas: readonly OutputSchema[]): OutputSchema => ({ anyOf: schemas });

/** An object of the service, which may have members that no version of the contract names yet. */
export const serviceObject = (required: Members, optional: Members = {}): OutputSchema => ({
  type: 'object',
  ...(Object.keys(required).length === 0 ? {} : { required: Object.keys(required) }),
  properties: { ...required, ...optional },
});

/** An object that berth itself makes: it has no other members. */
export const ownObject = (required: Members, optional: Members = {}): OutputSchema => ({
  ...serviceObject(required, optional),
  additionalProperties: false,
});

/** An object whose members all have the same schema, such as counts by name. */
export const mapOf = (value: OutputSchema): OutputSchema => ({ type: 'object', additionalProperties: value });
