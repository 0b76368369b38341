/** A JSON Schema (2020-12) as data. */
export type Schema = Readonly<Record<string, unknown>>;

/** Schemas by their published names. */
export type Schemas = Readonly<Record<string, Schema>>;

export const text: Schema = { type: 'string' };
export const whole: Schema = { type: 'integer' };
export const number: Schema = { type: 'number' };
export const flag: Schema = { type: 'boolean' };
export const time: Schema = { type: 'string', format: 'date-time' };

/** A reference to a published schema. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const oneOfWords = (...words: readonly string[]): Schema => ({ type: 'string', enum: words });

export const list = (items: Schema, bounds: Schema = {}): Schema => ({ type: 'array', items, ...bounds });

/** A value of a scalar type, or null. */
export const orNull = (type: string): Schema => ({ type: [type, 'null'] });

/** A value of a schema, or null. */
export const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

/** An object that may have other members. */
export const object = (required: readonly string[], properties: Schemas, rules: Schema = {}): Schema => ({
  type: 'object',
  ...(required.length > 0 ? { required } : {}),
  properties,
  ...rules,
});

/** An object that may not have other members. */
export const closed = (required: readonly string[], properties: Schemas, rules: Schema = {}): Schema => ({
  ...object(required, properties, rules),
  additionalProperties: false,
});
