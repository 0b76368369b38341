/** Lists that a person picks a missing value from, as the service has them now. */

import type { Collection } from '../model/collection.ts';
import type { CommandContext } from '../model/context.ts';
import { CPUS, DATA_CENTERS, GPUS, REGISTRIES, TEMPLATES } from './collections.ts';
import { listRows, lookupRows } from './requests.ts';
import type { Choice } from '../../core/context.ts';
import { type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { hourlyPrice } from '../../core/units.ts';
import { gigabytes, text } from '../../output/cells.ts';

type Query = Parameters<typeof listRows>[2];
type Choices = (ctx: CommandContext) => Promise<readonly Choice<string>[]>;

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

function choicesOf(rows: readonly Json[], member: string, words: (row: Json) => readonly string[]): Choice<string>[] {
  const found = new Map<string, Choice<string>>();
  for (const row of rows) {
    const value = stringAt(row, member);
    if (value === undefined || found.has(value)) continue;
    found.set(value, { name: [value, ...words(row).filter((word) => word !== '')].join('  '), value });
  }
  return [...found.values()];
}

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

const gpuTypes = (product: 'POD' | 'CLUSTER'): Choices =>
  rowsOf(GPUS, (row) => [gigabytes('memory')(row), hourly('price.secure')(row), text('availability')(row)], {
    query: { include: 'AVAILABILITY', product },
  });

export const podGpuTypes = gpuTypes('POD');
export const clusterGpuTypes = gpuTypes('CLUSTER');

export const podCpuFlavors = rowsOf(
  CPUS,
  (row) => [name(row), `${hourly('price.securePerVcpu')(row)} a vCPU`, text('availability')(row)],
  { query: { include: 'AVAILABILITY', product: 'POD' } },
);

export const gpuPools = rowsOf(GPUS, (row) => [name(row), hourly('price.serverless')(row), text('availability')(row)], {
  id: 'pool',
  query: { include: 'AVAILABILITY', product: 'SERVERLESS' },
});

export async function catalogRow(ctx: CommandContext, lookup: Collection, id: string): Promise<Json | undefined> {
  return (await lookupRows(ctx, lookup)).find((row) => memberAt(row, 'id') === id);
}
