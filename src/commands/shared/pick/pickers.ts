/** Lists that a person picks a missing value from, as the service has them now. */
import type { Choice } from '../../../core/context.ts';
import { type Json, memberAt, numberAt, stringAt } from '../../../core/json.ts';
import { hourlyPrice } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Collection } from '../../../cli/model/collection.ts';
import { listRows, lookupRows } from '../../../cli/resource/identity/requests.ts';
import { gigabytes, text } from '../../../output/cells/cell-functions.ts';
import { CPUS, DATA_CENTERS, GPUS, REGISTRIES, TEMPLATES } from '../collections.ts';

type Query = Parameters<typeof listRows>[2];
type Choices = (ctx: CommandContext) => Promise<readonly Choice<string>[]>;

/** Choices from the rows of a collection: the value is the row's id; `words` are shown beside it. */
const rowsOf =
  (
    lookup: Collection,
    words: (row: Json) => readonly string[],
    options: { readonly query?: Query; readonly keep?: (row: Json) => boolean; readonly id?: string } = {},
  ): Choices =>
  async (ctx) => {
    const rows = (await listRows(ctx, lookup, options.query)).values.filter(options.keep ?? (() => true));
    return choicesOf(rows, options.id ?? 'id', words);
  };

/** Each value once, with the words of the first row that has it. */
function choicesOf(rows: readonly Json[], member: string, words: (row: Json) => readonly string[]): Choice<string>[] {
  const found = new Map<string, Choice<string>>();
  for (const row of rows) {
    const value = stringAt(row, member);
    if (value === undefined || found.has(value)) continue;
    found.set(value, { name: [value, ...words(row).filter((word) => word !== '')].join('  '), value });
  }
  return [...found.values()];
}

/** A price of the catalog as `$1.12/hr`; empty where the catalog has none. */
const hourly =
  (path: string) =>
  (row: Json): string =>
    hourlyPrice(numberAt(row, path));

const name = text('name');

export const dataCenters = rowsOf(DATA_CENTERS, (row) => [name(row)]);
export const registries = rowsOf(REGISTRIES, (row) => [name(row)]);

const templates = (serverless: boolean): Choices =>
  rowsOf(TEMPLATES, (row) => [name(row), text('image')(row)], {
    keep: (row) => (memberAt(row, 'serverless') === true) === serverless,
  });

export const podTemplates = templates(false);
export const endpointTemplates = templates(true);

/** GPU types, each with the price of an hour and its availability. */
const gpuTypes = (product: 'POD' | 'CLUSTER'): Choices =>
  rowsOf(GPUS, (row) => [gigabytes('memory')(row), hourly('price.secure')(row), text('availability')(row)], {
    query: { include: 'AVAILABILITY', product },
  });

export const podGpuTypes = gpuTypes('POD');
export const clusterGpuTypes = gpuTypes('CLUSTER');

/** CPU flavors, each with the price of a vCPU in an hour and its availability. */
export const podCpuFlavors = rowsOf(
  CPUS,
  (row) => [name(row), `${hourly('price.securePerVcpu')(row)} a vCPU`, text('availability')(row)],
  { query: { include: 'AVAILABILITY', product: 'POD' } },
);

/** Pools of GPU types for endpoints, each with the name and the price of the first of its types. */
export const gpuPools = rowsOf(GPUS, (row) => [name(row), hourly('price.serverless')(row), text('availability')(row)], {
  id: 'pool',
  query: { include: 'AVAILABILITY', product: 'SERVERLESS' },
});

/** One row of a catalog by its id; undefined where the catalog does not have it. */
export async function catalogRow(ctx: CommandContext, lookup: Collection, id: string): Promise<Json | undefined> {
  return (await lookupRows(ctx, lookup)).find((row) => memberAt(row, 'id') === id);
}
