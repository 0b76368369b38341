import type { Parameter } from './parameters.ts';
import type { Schema } from './schemas/schema.ts';

/** What a key may do. Specification 5 does not name scopes: these are the local service's own. */
export type Scope = 'read' | 'write' | 'jobs' | 'control' | 'worker';

/** `worker` is the worker protocol, which has keys of its own. */
export type ServiceKind = 'base' | 'queue' | 'rest' | 'control' | 'worker';

/** The description of an operation: everything but its id and its code. */
export interface Row {
  readonly service: ServiceKind;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v2/pods/{id}` */
  readonly path: string;
  readonly scope: Scope;
  /** The group in the published contract; operations without it are not published (queue, rest, control, worker). */
  readonly tag?: string;
  /** The schema of the body: the name of a shared one, or the schema. Without it the operation takes no body. */
  readonly body?: string | Schema;
  readonly parameters?: readonly Parameter[];
  /** Status to its schema, by name or as the schema; null for no body. */
  readonly answers?: Readonly<Record<string, string | Schema | null>>;
}

/** Stands for an answer that is a stream of server-sent events. */
export const EVENTS = 'text/event-stream';

interface RowOptions {
  readonly body?: string;
  readonly parameters?: NonNullable<Row['parameters']>;
  readonly answers: Readonly<Record<number, string | null>>;
  /**
   * Further error statuses. Every operation has 401, 403 and 429, one with an id in its path has 404, and one with a body
   * or with pages has 422.
   */
  readonly refusals?: readonly number[];
  /** The contract names no 422 for it, though it has a body. */
  readonly without422?: boolean;
}

/** A row of the published contract from its group, and its method and path: `GET /v2/things`. */
export function row(
  tag: string,
  request: string,
  { body, parameters, answers, refusals = [], without422 = false }: RowOptions,
): Row {
  const [method, path] = request.split(' ') as [Row['method'], string];
  const isChecked = body !== undefined || parameters?.some(({ name }) => name === 'cursor') === true;
  const statuses = [
    401,
    403,
    ...(path.includes('{id}') ? [404] : []),
    ...(isChecked && !without422 ? [422] : []),
    ...refusals,
    429,
  ];
  const errors = Object.fromEntries(statuses.map((status) => [status, 'ErrorResponse']));
  return {
    service: 'base',
    method,
    path,
    scope: method === 'GET' ? 'read' : 'write',
    tag,
    ...(body === undefined ? {} : { body }),
    ...(parameters === undefined ? {} : { parameters }),
    answers: { ...answers, ...errors, default: 'ErrorResponse' },
  };
}

/** The names of a collection's operations: `listPods`, `createPod` ... */
type CollectionId<One extends string, Many extends string> =
  `list${Many}` | `${'create' | 'get' | 'update' | 'delete'}${One}`;

/**
 * The five rows of a collection, whose schemas are named after its members: `Pod`, `CreatePodRequest`,
 * `ListPodsResponse`. `refusals` are further error statuses of its writes; `parameters` are those of its list.
 */
export function collection<One extends string, Many extends string>(
  tag: string,
  path: string,
  [one, many]: readonly [One, Many],
  refusals: Readonly<Record<'create' | 'update' | 'delete', readonly number[]>>,
  parameters?: RowOptions['parameters'],
): Readonly<Record<CollectionId<One, Many>, Row>> {
  const ofOne = `${path}/{id}`;
  return {
    [`list${many}`]: row(tag, `GET ${path}`, {
      answers: { 200: `List${many}Response` },
      ...(parameters === undefined ? {} : { parameters }),
    }),
    [`create${one}`]: row(tag, `POST ${path}`, {
      body: `Create${one}Request`,
      answers: { 201: one },
      refusals: refusals.create,
    }),
    [`get${one}`]: row(tag, `GET ${ofOne}`, { answers: { 200: one } }),
    [`update${one}`]: row(tag, `PATCH ${ofOne}`, {
      body: `Update${one}Request`,
      answers: { 200: one },
      refusals: refusals.update,
    }),
    [`delete${one}`]: row(tag, `DELETE ${ofOne}`, { answers: { 204: null }, refusals: refusals.delete }),
  } as Record<CollectionId<One, Many>, Row>;
}
