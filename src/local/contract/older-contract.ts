import type { Row } from './row.ts';
import type { Schema, Schemas } from './schemas/schema.ts';

/** The members that schemas did not have in August 2026, by the name of the schema. */
const NEW_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  BaseContainerConfig: ['cmd', 'entrypoint'],
  CreateGpuConfig: ['minRamPerGpu', 'minVcpuCountPerGpu'],
  PodGpu: ['vcpuCount', 'memory'],
  CreateClusterRequest: ['templateId'],
  ListPodsResponse: ['pagination'],
  ListEndpointsResponse: ['pagination'],
  ListTemplatesResponse: ['pagination'],
  ListEndpointReleasesResponse: ['pagination'],
};

/** The names of the schemas that did not exist. */
const NEW_SCHEMAS = /Secret|Build(?!er)|^Pagination$/;

const NEW_PARAMETERS = ['cursor', 'limit'];

/** The schemas as they were in August. */
export const augustSchemas = (schemas: Schemas): Schemas =>
  Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => !NEW_SCHEMAS.test(name) || name.startsWith('Local'))
      .map(([name, schema]) => [name, without(schema, NEW_MEMBERS[name] ?? [])]),
  );

/** Whether an operation existed. */
export const existedInAugust = ({ path }: Pick<Row, 'path'>): boolean => !/\/(secrets|builds)(\/|$)/.test(path);

/** The description of an operation as it was. */
export const augustRow = <R extends Row>(row: R): R =>
  row.parameters === undefined
    ? row
    : { ...row, parameters: row.parameters.filter(({ name }) => !NEW_PARAMETERS.includes(name)) };

/** A schema without some members, in its branches too. */
function without(schema: Schema, members: readonly string[]): Schema {
  if (members.length === 0) return schema;
  const { properties, required, allOf } = schema as {
    properties?: Schema;
    required?: readonly string[];
    allOf?: readonly Schema[];
  };
  const isKept = (name: string): boolean => !members.includes(name);
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isKept(name))) }),
    ...(required && { required: required.filter(isKept) }),
    ...(allOf && { allOf: allOf.map((branch) => without(branch, members)) }),
  };
}

/** The members of documents that were not there; `gpu` has its own. */
const OF_DOCUMENTS = ['cmd', 'entrypoint'];
const LISTS = ['pods', 'endpoints', 'templates'];

type Document = Readonly<Record<string, unknown>>;

const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const leaveOut = (document: Document, names: readonly string[]): Document =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));

/** An answer as it was: a document of a pod, endpoint or template, or a list of them. */
export function augustAnswer(answer: unknown): unknown {
  if (!isDocument(answer)) return answer;
  const list = Object.entries(answer).map(([name, value]) => [
    name,
    LISTS.includes(name) && Array.isArray(value) ? value.map(augustAnswer) : value,
  ]);
  const { gpu, ...document } = leaveOut(Object.fromEntries(list) as Document, [...OF_DOCUMENTS, 'pagination']);
  if (gpu === undefined) return document;
  // An endpoint's GPUs have other members, and none of these.
  return { ...document, gpu: isDocument(gpu) ? leaveOut(gpu, ['vcpuCount', 'memory']) : gpu };
}
