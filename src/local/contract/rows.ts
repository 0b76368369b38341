import { contract, type Described, type Parameter, resolve, type Schema } from './document.ts';

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

/** Every operation of the contract, by its id. The code of each is in `src/local/resources`. A build has them as data. */
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
