/** Validates requests and answers against the published OpenAPI document. It uses only the document, no code of berth. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { localFixture, type Answer } from '../../support/local/service-fixture.ts';

export type Schema = Readonly<Record<string, unknown>> & { readonly $ref?: string };

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly explode?: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** `/v2/pods/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Undefined if the operation takes no body. */
  readonly body: { readonly required: boolean; readonly schema: Schema } | undefined;
  /** The first status of success, and the schema of its answer, if it has one. */
  readonly answer: { readonly status: number; readonly type?: string; readonly schema?: Schema };
  /** By status, or `default`. */
  readonly responses: Described['responses'];
}

/** A received request. */
export interface Sent {
  readonly method: string;
  /** The encoded path, without base address and query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Contract {
  readonly operations: readonly Operation[];
  /** Returns the operation of a request; undefined if there is none. */
  operationOf(sent: Pick<Sent, 'method' | 'path'>): Operation | undefined;
  /** Returns the violations of a request; empty if it is valid. */
  objections(sent: Sent): readonly string[];
  /** Returns the violations of an answer of an operation; empty if it is valid. */
  answerObjections(operation: Operation, answer: Answer): readonly string[];
  /** Returns the violations of a value against a schema. */
  against(schema: Schema, value: unknown): readonly string[];
  /** Resolves the reference of a schema, parameter or answer. */
  resolve<T>(node: T): T;
}

/** The members of an OpenAPI document that are used here. */
interface Document {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components?: unknown;
}
type PathItem = Readonly<Record<string, unknown>> & { readonly parameters?: readonly unknown[] };
interface Described {
  readonly operationId: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** The contract as the local service publishes it. */
export async function readContract(): Promise<Contract> {
  const document = (await localFixture().send('GET', '/v2/openapi.json', undefined, null)).body as unknown as Document;
  let ajv: Ajv2020 | undefined;
  const compiled = new Map<string, ValidateFunction>();

  const resolve = <T>(node: T): T => {
    const { $ref } = node as { readonly $ref?: unknown };
    if (typeof $ref !== 'string') return node;
    const steps = $ref.replace(/^#\//, '').split('/');
    return resolve(steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as T);
  };
  const against = (schema: Schema, value: unknown): readonly string[] => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"contract#/');
    const check = compiled.get(text) ?? (ajv ??= ajvOf(document)).compile(JSON.parse(text) as object);
    compiled.set(text, check);
    return check(value) ? [] : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
  };

  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const described = item[method] as Described | undefined;
      return described === undefined ? [] : [describe(path, method.toUpperCase(), item, described, resolve)];
    }),
  );
  // A literal path has priority over one with a parameter.
  const patterns = operations
    .map((operation) => ({ operation, pattern: patternOf(operation.path), parts: operation.path.split('{').length }))
    .sort((one, other) => one.parts - other.parts);
  const operationOf: Contract['operationOf'] = ({ method, path }) =>
    patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation;

  return {
    operations,
    operationOf,
    against,
    resolve,
    answerObjections: ({ responses }, { status, headers, text, body }) => {
      const described = resolve(responses[String(status)] ?? responses['default'] ?? {});
      const type = headers.get('content-type') ?? '';
      const schema = described.content?.[type]?.schema;
      if (schema === undefined) return text === '' && described.content === undefined ? [] : [`no ${type}`];
      return against(schema, type.includes('json') ? body : text);
    },
    objections: (sent) => {
      const operation = operationOf(sent);
      if (operation === undefined) return [`${sent.method} ${sent.path} is no operation`];
      return [
        ...queryObjections(operation, sent, against, resolve),
        ...headerObjections(operation, sent, against),
        ...bodyObjections(operation, sent, against),
      ].map((objection) => `${operation.id}: ${objection}`);
    },
  };
}

function ajvOf(document: Document): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  ajv.addFormat('date-time', RFC3339);
  for (const format of ['uri', 'float', 'double', 'int32', 'int64', 'password']) ajv.addFormat(format, true);
  return ajv.addSchema({ ...(conditionsApart(document) as object), $id: 'contract' });
}

function describe(
  path: string,
  method: string,
  item: PathItem,
  described: Described,
  resolve: Contract['resolve'],
): Operation {
  const [status = '0', success] = Object.entries(described.responses).find(([code]) => code.startsWith('2')) ?? [];
  const [type, media] = Object.entries(success === undefined ? {} : (resolve(success).content ?? {}))[0] ?? [];
  const body = described.requestBody === undefined ? undefined : resolve(described.requestBody);
  const schema = body?.content['application/json']?.schema;
  return {
    id: described.operationId,
    method,
    path,
    parameters: [...(item.parameters ?? []), ...(described.parameters ?? [])].map((each) => resolve(each) as Parameter),
    body: schema === undefined ? undefined : { required: body?.required === true, schema },
    responses: described.responses,
    answer: {
      status: Number(status),
      ...(type === undefined || media === undefined ? {} : { type, schema: media.schema }),
    },
  };
}

/**
 * Moves each `if` of a document into its own subschema. If an `if` beside `unevaluatedProperties` does not match, the
 * validator forgets which members it has evaluated.
 */
function conditionsApart(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(conditionsApart);
  if (typeof node !== 'object' || node === null) return node;
  const inner = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, conditionsApart(value)]));
  if (!('if' in inner) || !('unevaluatedProperties' in inner)) return inner;
  const { if: condition, then = true, else: otherwise = true, allOf = [], ...rest } = inner;
  return { ...rest, allOf: [{ if: condition, then, else: otherwise }, ...(allOf as readonly unknown[])] };
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);

type Against = Contract['against'];

function queryObjections(
  operation: Operation,
  { query }: Sent,
  against: Against,
  resolve: Contract['resolve'],
): string[] {
  const known = operation.parameters.filter((parameter) => parameter.in === 'query');
  const unknown = [...new Set(query.keys())].filter((name) => !known.some((parameter) => parameter.name === name));
  return [
    ...unknown.map((name) => `query ${name} is unknown`),
    ...known.flatMap((parameter) => {
      const given = query.getAll(parameter.name);
      if (given.length === 0) return parameter.required === true ? [`query ${parameter.name} is missing`] : [];
      const value = parameterValue(parameter, given, resolve);
      return against(parameter.schema, value).map((error) => `query ${parameter.name}=${given.join('&')}${error}`);
    }),
  ];
}

/** Parses the text of a parameter. */
function parameterValue(parameter: Parameter, given: readonly string[], resolve: Contract['resolve']): unknown {
  const schema = resolve(parameter.schema);
  if (schema['type'] === 'array') {
    const items = resolve((schema['items'] ?? {}) as Schema);
    const texts = parameter.explode === false ? given.flatMap((text) => text.split(',')) : given;
    return texts.map((text) => scalar(text, items));
  }
  return given.length === 1 ? scalar(given[0] ?? '', schema) : given;
}

function scalar(text: string, schema: Schema): unknown {
  const type = schema['type'];
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

const headerObjections = (operation: Operation, { headers }: Sent, against: Against): string[] =>
  operation.parameters
    .filter((parameter) => parameter.in === 'header')
    .flatMap((parameter) => {
      const given = headers[parameter.name.toLowerCase()];
      if (given === undefined) return parameter.required === true ? [`header ${parameter.name} is missing`] : [];
      return against(parameter.schema, given).map((error) => `header ${parameter.name}${error}`);
    });

function bodyObjections(operation: Operation, { body, headers }: Sent, against: Against): readonly string[] {
  if (operation.body === undefined) return body === '' ? [] : ['it takes no body'];
  if (body === '') return operation.body.required ? ['its body is missing'] : [];
  if (headers['content-type'] !== 'application/json') return [`its body is ${String(headers['content-type'])}`];
  return against(operation.body.schema, JSON.parse(body)).map((error) => `body${error}`);
}
