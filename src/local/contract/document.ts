import openapi from './openapi.json';

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly in: 'query' | 'header';
  readonly name: string;
  readonly schema: Schema;
}

/** What a key may do. Specification 5 does not name scopes: these are the local service's own. */
export type Scope = 'read' | 'write' | 'jobs' | 'control' | 'worker';

/** `worker` is the worker protocol, which has keys of its own. */
export type ServiceKind = 'base' | 'queue' | 'rest' | 'control' | 'worker';

export interface Row {
  readonly service: ServiceKind;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly scope: Scope;
  /** Its schema, by name for one of the contract; without it the operation takes no body. */
  readonly body?: string | Schema;
  readonly parameters?: readonly Parameter[];
  /** The status of an answer with a body. */
  readonly success: number;
}

interface Reference {
  readonly $ref: string;
}

interface Described {
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

/** Every operation of the contract, by its id. The code of each is in `src/local/resources`. */
export const ROWS: ReadonlyMap<string, Row> = new Map(
  Object.entries(contract.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, described]) =>
      method === 'parameters' ? [] : [[described.operationId, rowOf(method.toUpperCase(), path, described)] as const],
    ),
  ),
);

function rowOf(method: string, path: string, { parameters = [], requestBody, responses }: Described): Row {
  return {
    success: Number(Object.keys(responses).find((status) => status.startsWith('2'))),
    service: 'base',
    method: method as Row['method'],
    path,
    scope: method === 'GET' ? 'read' : 'write',
    parameters: parameters
      .map((each) => resolve<Parameter>(each))
      .flatMap(({ in: place, name, schema }) =>
        ['query', 'header'].includes(place) ? [{ in: place, name, schema: resolve(schema) }] : [],
      ),
    ...(requestBody === undefined
      ? {}
      : { body: requestBody.content['application/json'].schema.$ref.split('/').at(-1) ?? '' }),
  };
}
