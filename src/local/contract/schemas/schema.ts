/** A JSON Schema (2020-12) as data. */
export type Schema = Readonly<Record<string, unknown>>;

export type Schemas = Readonly<Record<string, Schema>>;

export const text: Schema = { type: 'string' };
export const whole: Schema = { type: 'integer' };
export const number: Schema = { type: 'number' };
export const flag: Schema = { type: 'boolean' };
export const time: Schema = { type: 'string', format: 'date-time' };
export const timeOrNull: Schema = { type: ['string', 'null'], format: 'date-time' };
export const uri: Schema = { ...text, format: 'uri' };

export const filledText: Schema = { ...text, minLength: 1 };

export const count: Schema = { ...whole, minimum: 0 };

export const positive: Schema = { ...whole, minimum: 1 };

export const float: Schema = { ...number, format: 'float' };

export const cudaVersion: Schema = { ...text, pattern: '^\\d+\\.\\d+$' };

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const oneOfWords = (...words: readonly string[]): Schema => ({ type: 'string', enum: words });

export const list = (items: Schema, bounds: Schema = {}): Schema => ({ type: 'array', items, ...bounds });

export const orNull = (type: string): Schema => ({ type: [type, 'null'] });

export const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

/** Other members are allowed too. */
export function object(required: Schemas, optional: Schemas = {}, rules: Schema = {}): Schema {
  const names = Object.keys(required);
  return {
    type: 'object',
    ...(names.length > 0 ? { required: names } : {}),
    properties: { ...required, ...optional },
    ...rules,
  };
}

/** `rules` may require some of them; other members are allowed too. */
export const partial = (optional: Schemas, rules?: Schema): Schema => object({}, optional, rules);

export const closed = (required: Schemas, optional?: Schemas, rules?: Schema): Schema => ({
  ...object(required, optional, rules),
  additionalProperties: false,
});

export const extended = (base: string, own: Schema): Schema => ({ allOf: [ref(base), own] });

export const closedExtended = (base: string, own: Schema): Schema => ({
  ...extended(base, own),
  unevaluatedProperties: false,
});
