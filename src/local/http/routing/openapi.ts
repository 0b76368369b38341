import type { Json } from '../../../core/json.ts';
import { publishedSchemas } from '../../contract/index.ts';
import { EVENTS } from '../../contract/row.ts';
import { ref, type Schema } from '../../contract/schemas/schema.ts';
import type { Operation } from '../call/operation.ts';

const RATE_HEADERS = {
  RateLimit: { schema: ref('RateLimitHeader') },
  'RateLimit-Policy': { schema: ref('RateLimitPolicyHeader') },
};

/** The OpenAPI 3.1 document of a table that also routes and validates. Operations without a tag are not published. */
export function openApiDocument(operations: readonly Operation[]): Json {
  const published = operations.filter(({ tag }) => tag !== undefined);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of published) {
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const path = (paths[operation.path] ??=
      names.length === 0
        ? {}
        : { parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })) });
    path[operation.method.toLowerCase()] = describe(operation);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'berth local service', version: '2.0.0' },
    security: [{ bearerAuth: [] }],
    tags: [...new Set(published.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } },
      schemas: publishedSchemas,
    },
  } as unknown as Json;
}

function describe(operation: Operation): Schema {
  const parameters = (operation.parameters ?? []).map((parameter) => ({
    name: parameter.name,
    in: parameter.in,
    required: false,
    ...(parameter.schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
    schema: parameter.schema,
  }));
  return {
    operationId: operation.id,
    tags: [operation.tag],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(operation.body) } } } }),
    responses: Object.fromEntries(
      Object.entries(operation.answers ?? {}).map(([status, schema]) => [status, answer(status, schema)]),
    ),
  };
}

function answer(status: string, schema: string | Schema | null): Schema {
  const headers = {
    ...(status === '429' ? { 'Retry-After': { schema: { type: 'integer' } } } : {}),
    ...(status === '401' ? {} : RATE_HEADERS),
  };
  return {
    description: status,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(schema === null ? {} : { content: { [mediaType(schema)]: { schema: schemaOf(schema) } } }),
  };
}

/** A schema with a name is written as a reference. */
function schemaOf(schema: string | Schema): Schema {
  if (typeof schema !== 'string') return schema;
  return schema === EVENTS ? { type: 'string' } : ref(schema);
}

const mediaType = (schema: string | Schema): string =>
  schema === EVENTS ? EVENTS : schema === 'ErrorResponse' ? 'application/problem+json' : 'application/json';
