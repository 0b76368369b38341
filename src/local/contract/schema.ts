/** A JSON Schema (2020-12) as data. */
export type Schema = Readonly<Record<string, unknown>>;

/** Schemas by the name they are published under. */
export type Schemas = Readonly<Record<string, Schema>>;

export const text: Schema = { type: 'string' };
export const whole: Schema = { type: 'integer' };
export const number: Schema = { type: 'number' };
export const flag: Schema = { type: 'boolean' };
export const time: Schema = { type: 'string', format: 'date-time' };

/** Another published schema, by name. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const oneOfWords = (...words: readonly string[]): Schema => ({ type: 'string', enum: words });

export const list = (items: Schema, bounds: Schema = {}): Schema => ({ type: 'array', items, ...bounds });

/** A scalar type, or null. */
export const orNull = (type: string): Schema => ({ type: [type, 'null'] });

/** A schema, or null. */
export const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

/** An object that may carry other members too. */
export const object = (required: readonly string[], properties: Schemas, rules: Schema = {}): Schema => ({
  type: 'object',
  ...(required.length > 0 ? { required } : {}),
  properties,
  ...rules,
});

/** An object that allows no member it does not name. */
export const closed = (required: readonly string[], properties: Schemas, rules: Schema = {}): Schema => ({
  ...object(required, properties, rules),
  additionalProperties: false,
});
