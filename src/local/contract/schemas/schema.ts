/** A JSON Schema (2020-12) as data. */
export type Schema = Readonly<Record<string, unknown>>;

/** Schemas by their published names. */
export type Schemas = Readonly<Record<string, Schema>>;

export const text: Schema = { type: 'string' };
export const whole: Schema = { type: 'integer' };
export const number: Schema = { type: 'number' };
export const flag: Schema = { type: 'boolean' };
export const time: Schema = { type: 'string', format: 'date-time' };
export const timeOrNull: Schema = { type: ['string', 'null'], format: 'date-time' };
export const uri: Schema = { ...text, format: 'uri' };

/** A text that is not empty. */
export const filledText: Schema = { ...text, minLength: 1 };

/** A number from 0. */
export const count: Schema = { ...whole, minimum: 0 };

/** A number from 1. */
export const positive: Schema = { ...whole, minimum: 1 };

export const float: Schema = { ...number, format: 'float' };

/** `12.8` */
export const cudaVersion: Schema = { ...text, pattern: '^\\d+\\.\\d+$' };

/** A reference to a published schema. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const oneOfWords = (...words: readonly string[]): Schema => ({ type: 'string', enum: words });

export const list = (items: Schema, bounds: Schema = {}): Schema => ({ type: 'array', items, ...bounds });

/** A value of a scalar type, or null. */
export const orNull = (type: string): Schema => ({ type: [type, 'null'] });

/** A value of a schema, or null. */
export const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

/** An object with its required members, and those that it may have. It may have other members too. */
export function object(required: Schemas, optional: Schemas = {}, rules: Schema = {}): Schema {
  const names = Object.keys(required);
  return {
    type: 'object',
    ...(names.length > 0 ? { required: names } : {}),
    properties: { ...required, ...optional },
    ...rules,
  };
}

/** An object whose members are all optional, except those that `rules` require. It may have other members too. */
export const partial = (optional: Schemas, rules?: Schema): Schema => object({}, optional, rules);

/** An object as `object` makes it, which may not have other members. */
export const closed = (required: Schemas, optional?: Schemas, rules?: Schema): Schema => ({
  ...object(required, optional, rules),
  additionalProperties: false,
});

/** An object that has the members of a published schema and those of another schema. */
export const extended = (base: string, own: Schema): Schema => ({ allOf: [ref(base), own] });

/** An object as `extended` makes it, which may not have other members. */
export const closedExtended = (base: string, own: Schema): Schema => ({
  ...extended(base, own),
  unevaluatedProperties: false,
});
