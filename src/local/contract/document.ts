import openapi from './openapi.json';

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly in: 'query' | 'header';
  readonly name: string;
  readonly schema: Schema;
}

interface Reference {
  readonly $ref: string;
}

export interface Described {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Reference } } };
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The contract, as it is published at /v2/openapi.json. */
export const contract = openapi as unknown as OpenApi;

/** What a reference names, or the value itself. */
export function resolve<T extends object>(value: T | Reference): T {
  if (!('$ref' in value)) return value;
  const steps = value.$ref.split('/').slice(1);
  return resolve(steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], contract) as T);
}
