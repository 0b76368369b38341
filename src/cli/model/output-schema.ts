import type { JsonObject } from '../../core/json.ts';

/** JSON Schema 2020-12. Schemas of the published contract are named, not copied. */
export type OutputSchema = JsonObject;

type Members = Readonly<Record<string, OutputSchema>>;

export const TEXT: OutputSchema = { type: 'string' };
export const WHOLE: OutputSchema = { type: 'integer' };
export const NUMBER: OutputSchema = { type: 'number' };
export const YES_NO: OutputSchema = { type: 'boolean' };
export const TIME: OutputSchema = { type: 'string', format: 'date-time' };
export const ANYTHING: OutputSchema = {};
export const ANY_OBJECT: OutputSchema = { type: 'object' };

export const CONTRACT_PREFIX = 'contract:';

export const contractSchema = (name: string): OutputSchema => ({ $ref: CONTRACT_PREFIX + name });

export const oneOf = (...words: readonly string[]): OutputSchema => ({ type: 'string', enum: words });

export const manyOf = (items: OutputSchema): OutputSchema => ({ type: 'array', items });

export const orNull = ({ type, ...schema }: OutputSchema): OutputSchema =>
  typeof type === 'string' && schema['enum'] === undefined
    ? { ...schema, type: [type, 'null'] }
    : { anyOf: [{ ...schema, ...(type === undefined ? {} : { type }) }, { type: 'null' }] };

export const either = (...schemas: readonly OutputSchema[]): OutputSchema => ({ anyOf: schemas });

/** May have members that no version of the contract names yet. */
export const serviceObject = (required: Members, optional: Members = {}): OutputSchema => ({
  type: 'object',
  ...(Object.keys(required).length === 0 ? {} : { required: Object.keys(required) }),
  properties: { ...required, ...optional },
});

/** Made by berth itself: has no other members. */
export const ownObject = (required: Members, optional: Members = {}): OutputSchema => ({
  ...serviceObject(required, optional),
  additionalProperties: false,
});

export const mapOf = (value: OutputSchema): OutputSchema => ({ type: 'object', additionalProperties: value });
