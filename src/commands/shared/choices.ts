/** Lists to pick a missing value from, as the service has them now. */
import type { Choice } from '../../core/context.ts';
import { memberAt, numberOf, stringOf, type Json } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';
import type { CommandContext } from '../../cli/context.ts';
import type { Collection } from '../../cli/resource/collection.ts';
import type { Ask } from '../../cli/parse/params.ts';
import { listRows } from '../../cli/resource/read.ts';
import { gigabytes, text } from '../../output/layout/cells.ts';
import { DATA_CENTERS, GPUS, REGISTRIES, TEMPLATES } from './collections.ts';

type Query = Parameters<typeof listRows>[2];

/** A question whose answers are rows of a collection: the id is the answer, the words beside it help to choose. */
const pick = (
  question: string,
  lookup: Collection,
  words: (row: Json) => readonly string[],
  options: { readonly query?: Query; readonly keep?: (row: Json) => boolean; readonly id?: string } = {},
): Ask => ({
  kind: 'pick',
  question,
  choices: async (ctx) => {
    const rows = (await listRows(ctx, lookup, options.query)).values.filter(options.keep ?? (() => true));
    return choicesOf(rows, options.id ?? 'id', words);
  },
});

/** Each value once, with the words of the first row that has it. */
function choicesOf(rows: readonly Json[], member: string, words: (row: Json) => readonly string[]): Choice<string>[] {
  const found = new Map<string, Choice<string>>();
  for (const row of rows) {
    const value = stringOf(memberAt(row, member));
    if (value === undefined || found.has(value)) continue;
    found.set(value, { name: [value, ...words(row).filter((word) => word !== '')].join('  '), value });
  }
  return [...found.values()];
}

/** What the catalog says of a price, as `$1.12/hr`; nothing where it says none. */
const hourly =
  (path: string) =>
  (row: Json): string => {
    const price = numberOf(memberAt(row, path));
    return price === undefined || price === 0 ? '' : `${formatDollars(price)}/hr`;
  };

const name = text('name');

export const pickDataCenter = pick('Data center', DATA_CENTERS, (row) => [name(row)]);
export const pickRegistry = pick('Registry credential', REGISTRIES, (row) => [name(row)]);

/** Templates for pods, or for endpoints. */
export const pickTemplate = (serverless: boolean): Ask =>
  pick('Template', TEMPLATES, (row) => [name(row), text('image')(row)], {
    keep: (row) => (memberAt(row, 'serverless') === true) === serverless,
  });

/** GPU types with what one costs an hour and whether it can be had. */
export const pickGpu = (product: 'POD' | 'CLUSTER'): Ask =>
  pick('GPU type', GPUS, (row) => [gigabytes('memory')(row), hourly('price.secure')(row), text('availability')(row)], {
    query: { include: 'AVAILABILITY', product },
  });

/** Pools of GPU types for endpoints, each with the first of its types. */
export const pickPool: Ask = pick(
  'GPU pool',
  GPUS,
  (row) => [name(row), hourly('price.serverless')(row), text('availability')(row)],
  { id: 'pool', query: { include: 'AVAILABILITY', product: 'SERVERLESS' } },
);

/** One row of a catalog by its id; undefined where the catalog does not have it. */
export async function catalogRow(ctx: CommandContext, lookup: Collection, id: string): Promise<Json | undefined> {
  const { values } = await listRows(ctx, lookup);
  return values.find((row) => memberAt(row, 'id') === id);
}
