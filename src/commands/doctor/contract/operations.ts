/** The operations of an OpenAPI document, each with one schema of what is sent and one of what is answered. */
import { isObject, itemsAt, memberOf, objectOf, stringAt, type Json, type JsonObject } from '../../../core/json.ts';
import { resolve } from './shape.ts';

export interface DocumentedOperation {
  /** `GET /v2/pods/{id}`, as its own document writes it. */
  readonly name: string;
  /** The parameters as the members of one object, without those of the path. */
  readonly parameters: JsonObject;
  /** The schema of the body as JSON; undefined where no body is sent. */
  readonly body: Json | undefined;
  readonly bodyRequired: boolean;
  /** The schemas of the answers with a 2xx status by status; undefined where the answer has no JSON. */
  readonly answers: ReadonlyMap<string, Json | undefined>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The operations by method and path, whatever the names of the parameters in the path are. */
export function operationsOf(document: Json): ReadonlyMap<string, DocumentedOperation> {
  const operations = new Map<string, DocumentedOperation>();
  for (const [path, written] of Object.entries(objectOf(memberOf(document, 'paths')) ?? {})) {
    const item = resolve(document, written);
    for (const method of METHODS) {
      const operation = memberOf(item, method);
      if (!isObject(operation)) continue;
      const name = `${method.toUpperCase()} ${path}`;
      operations.set(name.replaceAll(/\{[^}]*\}/g, '{}'), describe(document, name, item, operation));
    }
  }
  return operations;
}

function describe(document: Json, name: string, item: Json | undefined, operation: JsonObject): DocumentedOperation {
  const body = resolve(document, operation['requestBody']);
  const answers = Object.entries(objectOf(operation['responses']) ?? {}).filter(([status]) => status.startsWith('2'));
  return {
    name,
    parameters: parametersOf(document, [...itemsAt(item, 'parameters'), ...itemsAt(operation, 'parameters')]),
    body: jsonSchema(body),
    bodyRequired: memberOf(body, 'required') === true,
    answers: new Map(answers.map(([status, answer]) => [status, jsonSchema(resolve(document, answer))])),
  };
}

function parametersOf(document: Json, written: readonly Json[]): JsonObject {
  const properties = new Map<string, Json>();
  const required = new Set<string>();
  for (const each of written) {
    const parameter = resolve(document, each);
    const place = stringAt(parameter, 'in');
    const name = stringAt(parameter, 'name');
    if (name === undefined || (place !== 'query' && place !== 'header')) continue;
    properties.set(name, memberOf(parameter, 'schema') ?? {});
    if (memberOf(parameter, 'required') === true) required.add(name);
  }
  return { properties: Object.fromEntries(properties), required: [...required] };
}

const jsonSchema = (content: Json | undefined): Json | undefined =>
  memberOf(memberOf(memberOf(content, 'content'), 'application/json'), 'schema');
