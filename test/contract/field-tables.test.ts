import { describe, expect, it } from 'vitest';
import { writablePaths } from '../../src/cli/resource/body-members.ts';
import { readPaths, type ResourceTable } from '../../src/cli/resource/fields.ts';
import { CPU_TABLE, DATA_CENTER_TABLE, GPU_TABLE } from '../../src/commands/catalog/fields.ts';
import { CLUSTER_TABLE } from '../../src/commands/clusters/fields.ts';
import { BUILD_TABLE } from '../../src/commands/endpoints/builds.ts';
import { ENDPOINT_TABLE } from '../../src/commands/endpoints/fields.ts';
import { WORKER_TABLE } from '../../src/commands/endpoints/workers.ts';
import { POD_TABLE } from '../../src/commands/pods/fields.ts';
import { DELEGATION_TABLE, REGISTRY_TABLE } from '../../src/commands/registries.ts';
import { TEMPLATE_TABLE } from '../../src/commands/templates.ts';
import { VOLUME_TABLE } from '../../src/commands/volumes.ts';
import { localFixture } from '../support/local/service-fixture.ts';

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

const { body: document } = await localFixture().send('GET', '/v2/openapi.json', undefined, null);
const { schemas } = (document as unknown as { components: { schemas: Readonly<Record<string, Schema>> } }).components;

/** A schema with every schema that it refers to or is made of. */
function partsOf(schema: Schema): readonly Schema[] {
  const named = schema.$ref === undefined ? [] : [schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}];
  const inner = [...named, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [schema, ...inner.flatMap(partsOf)];
}

/** Whether a schema has a member at a path; the items of an array have the path of the array. */
function hasPath(schema: Schema, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return true;
  return partsOf(schema).some(({ properties, items }) => {
    const member = properties?.[name];
    return member === undefined ? items !== undefined && hasPath(items, path) : hasPath(member, rest);
  });
}

/** Each table with the schemas of its rows and of the bodies of its create and its update. */
const TABLES: readonly (readonly [string, ResourceTable, string | undefined, string | undefined])[] = [
  ['Pod', POD_TABLE, 'CreatePodRequest', 'UpdatePodRequest'],
  ['Endpoint', ENDPOINT_TABLE, 'CreateEndpointRequest', 'UpdateEndpointRequest'],
  ['Worker', WORKER_TABLE, undefined, undefined],
  ['Build', BUILD_TABLE, undefined, undefined],
  ['NetworkVolume', VOLUME_TABLE, 'CreateNetworkVolumeRequest', 'UpdateNetworkVolumeRequest'],
  ['Template', TEMPLATE_TABLE, 'CreateTemplateRequest', 'UpdateTemplateRequest'],
  ['Registry', REGISTRY_TABLE, 'CreateRegistryRequest', undefined],
  ['EcrDelegation', DELEGATION_TABLE, 'CreateDelegationRequest', undefined],
  ['Cluster', CLUSTER_TABLE, 'CreateClusterRequest', 'UpdateClusterRequest'],
  ['GpuType', GPU_TABLE, undefined, undefined],
  ['CpuType', CPU_TABLE, undefined, undefined],
  ['DataCenter', DATA_CENTER_TABLE, undefined, undefined],
];

const missing = (name: string, paths: readonly string[]): readonly string[] =>
  paths.filter((path) => !hasPath(schemas[name] ?? {}, path.split('.')));

describe.each(TABLES)('the table of fields of %s', (row, table, create, update) => {
  it('has only paths that the published schema has', () => {
    // The v1 API has its own name for the data center of a volume.
    const published = readPaths(table).filter((path) => row !== 'NetworkVolume' || path !== 'dataCenterId');
    expect(missing(row, published)).toEqual([]);
  });

  it('accepts only members that the published request has', () => {
    if (create !== undefined) expect(missing(create, writablePaths(table, 'create'))).toEqual([]);
    if (update !== undefined) expect(missing(update, writablePaths(table, 'update'))).toEqual([]);
  });

  it('says how each field without a path is shown or written', () => {
    for (const [key, { path, show, write, create: onCreate, update: onUpdate }] of Object.entries(table.fields))
      expect([key, path ?? show ?? write ?? onCreate ?? onUpdate]).not.toEqual([key, undefined]);
  });
});
