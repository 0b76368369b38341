import { CREATED_AT, NAME_FLAG } from '../cli/container.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { ofVolume, perMonth, sum } from '../cli/money.ts';
import { pick } from '../cli/resource/arguments.ts';
import { DATA_CENTERS, ENDPOINTS, PODS, VOLUMES as COLLECTION } from '../cli/resource/collections.ts';
import { defineTable, type Fields } from '../cli/resource/fields.ts';
import { create, type CreateRequest, remove, update, usersOf } from '../cli/resource/noun-writes.ts';
import { get, list, noun } from '../cli/resource/noun.ts';
import { labelOf, resource } from '../cli/resource/targets.ts';
import { countOf } from '../cli/words.ts';
import type { ApiAnswer } from '../core/api.ts';
import { ABSENT, Failure, usage } from '../core/failure.ts';
import {
  encodeJson,
  itemsAt,
  type Json,
  type JsonObject,
  numberAt,
  numberOf,
  objectOf,
  stringAt,
  stringOf,
} from '../core/json.ts';
import { text } from '../output/cells.ts';
import type { Shown } from '../output/view.ts';

/** GB (specification 2.4 and 8.3: beyond 4 TB, contact support). */
export const MIN_GB = 10;
export const MAX_GB = 4096;

const TIERS = ['STANDARD', 'HIGH_PERFORMANCE'] as const;

const FIELDS = {
  id: { path: 'id' },
  name: {
    path: 'name',
    create: NAME_FLAG,
    update: { text: 'its name', metavar: 'NAME' },
  },
  size: {
    path: 'size',
    type: 'gigabytes',
    check: checkSize,
    create: {
      count: 'size in GB',
      least: Number.MIN_SAFE_INTEGER,
      metavar: 'GB',
      ask: { kind: 'text', question: `Size in GB (${MIN_GB} to ${MAX_GB})`, answer: 'a size' },
    },
    update: { count: 'new size in GB', least: 0, metavar: 'GB' },
  },
  dataCenter: {
    path: 'dataCenter',
    show: dataCenter,
    check: (value) => {
      if (stringOf(value)?.trim() === '') throw usage('--data-center is empty');
    },
    create: {
      text: 'data center: see `berth catalog datacenters`',
      metavar: 'DC',
      complete: DATA_CENTERS,
      ask: pick(DATA_CENTERS),
    },
  },
  /** v1's name for `dataCenter` (contract rules, Addresses). */
  dataCenterId: { path: 'dataCenterId' },
  type: {
    path: 'type',
    values: TIERS,
    column: { dropFirst: true },
    create: { choice: 'storage tier', choices: TIERS },
  },
  monthlyCost: { type: 'dollars', label: 'cost a month', show: monthlyCost, column: { header: 'COST/MONTH' } },
} as const satisfies Fields;

export const VOLUME_TABLE = defineTable({
  noun: ['volume', 'volumes'],
  fields: FIELDS,
  table: ['id', 'name', 'size', 'type', 'dataCenter', 'monthlyCost'],
  detail: [{ fields: ['id', 'name', 'size', 'type', 'dataCenter', 'monthlyCost'] }],
});

function dataCenter(row: Json): string {
  return text(row, 'dataCenter') || text(row, 'dataCenterId');
}

/** High-performance storage costs more than the published price: `>$122.88`. */
function monthlyCost(row: Json): Shown {
  if (numberAt(row, 'size') === undefined) return undefined;
  const { hourly, besides } = ofVolume(row);
  return `${besides.length > 0 ? '>' : ''}${perMonth({ hourly, besides: [] }).replace('/month', '')}`;
}

const sizeOf = (row: Json): number => numberAt(row, 'size') ?? 0;

function checkSize(value: Json): void {
  const size = numberOf(value) ?? MIN_GB;
  if (size < MIN_GB || size > MAX_GB) throw usage(`invalid --size ${size}: use ${MIN_GB} to ${MAX_GB} GB`);
}

const VOLUMES = resource(COLLECTION, VOLUME_TABLE);

/** The service deletes volumes in use too. A stopped pod keeps its mounts. */
const volumesOf = (row: Json): readonly string[] =>
  [
    ...itemsAt(row, 'mounts.network').map((mount) => stringAt(mount, 'volumeId')),
    ...itemsAt(row, 'networkVolumes').map(stringOf),
  ].filter((id) => id !== undefined);

export const volumes = noun('network volumes', {
  list: list(VOLUMES, {
    summary: 'list network volumes',
    total: (rows) =>
      `${countOf(rows.length, 'volume')}, ${rows.reduce<number>((all, row) => all + sizeOf(row), 0)} GB, ${perMonth(sum(rows.map(ofVolume)))}`,
    examples: [
      ['berth volumes list', 'with the cost of each'],
      ["berth volumes list --match 'data*' --sort -size", 'the largest first'],
    ],
  }),
  get: get(VOLUMES, {
    summary: 'show a network volume',
    examples: [['berth volumes get datasets --json', 'as the service sends it']],
  }),
  create: create(VOLUMES, {
    summary: 'create a network volume',
    details: 'A volume can grow and never shrinks; its data center and tier are final.',
    needed: ['name', 'size', 'dataCenter'],
    example: 'size=200',
    fromPrinted: inV2Words,
    price: (body) => `${sizeOf(body)} GB: ${perMonth(ofVolume(body))}`,
    send: v1First,
    examples: [['berth volumes create data --size 100 --data-center EU-NORTH-1', '100 GB of standard storage']],
  }),
  update: update(VOLUMES, {
    summary: 'rename or enlarge a network volume',
    details: 'A volume never shrinks.',
    example: 'size=200',
    risky: ['size'],
    risk: growth,
    examples: [['berth volumes update checkpoints --size 1000 --yes', 'enlarge it to 1000 GB']],
  }),
  delete: remove(VOLUMES, {
    summary: 'delete network volumes and the data on them',
    details: 'A volume that a pod or an endpoint uses is refused without --force.',
    loses: 'all data on it',
    typed: () => true,
    inUse: usersOf({ noun: 'volume', users: [PODS, ENDPOINTS], usedBy: volumesOf }),
    examples: [['berth volumes delete scratch --yes', 'in a script']],
  }),
});

function growth(body: JsonObject, row: Json): string | undefined {
  const larger = { ...objectOf(row), size: body['size'] };
  if (sizeOf(larger) <= sizeOf(row)) return undefined;
  const price = `${perMonth(ofVolume(row))} -> ${perMonth(ofVolume(larger))}`;
  return `volume ${labelOf(row)}: ${sizeOf(row)} GB -> ${sizeOf(larger)} GB, ${price}. It cannot shrink again.`;
}

/** v1 comes first where its address is set and no tier is asked for; 404 and 410 say that it is retired, and nothing happened. */
export async function v1First(ctx: CommandContext, request: CreateRequest): Promise<ApiAnswer> {
  const { dataCenter, ...body } = request.body;
  if (ctx.settings.get('rest-url') === undefined || body['type'] !== undefined) return await ctx.api.send(request);
  const v1 = { service: 'rest', path: ['v1', 'networkvolumes'], hasFallback: true } as const;
  try {
    const answer = await ctx.api.send({ ...request, ...v1, body: { ...body, dataCenterId: dataCenter } });
    const value = { type: 'STANDARD', ...inV2Words(objectOf(answer.value) ?? {}) };
    return { ...answer, value, text: encodeJson(value) };
  } catch (error) {
    const isGone = error instanceof Failure && (error.code === ABSENT || [404, 410].includes(error.status ?? 0));
    if (!isGone) throw error;
    return await ctx.api.send(request);
  }
}

function inV2Words({ dataCenterId, ...volume }: JsonObject): JsonObject {
  return dataCenterId === undefined ? volume : { dataCenter: dataCenterId, ...volume };
}

const TABLE = defineTable({
  noun: ['global volume', 'global volumes'],
  fields: {
    id: { path: 'id' },
    name: { path: 'name', create: NAME_FLAG },
    createdAt: CREATED_AT,
    createdByUserId: { path: 'createdByUserId', label: 'by' },
  } satisfies Fields,
  table: ['id', 'name', 'createdAt'],
  wide: ['createdByUserId'],
});

const GLOBAL_VOLUMES = resource(
  { noun: 'global volume', path: ['v2', 'global-volumes'], member: 'globalVolumes', schema: 'GlobalVolume' },
  TABLE,
);

export const globalVolumes = noun('volumes for every data center', {
  list: list(GLOBAL_VOLUMES, { examples: [['berth global-volumes list', 'with the age of each']] }),
  get: get(GLOBAL_VOLUMES, { examples: [['berth global-volumes get weights', 'by its name']] }),
  create: create(GLOBAL_VOLUMES, {
    details:
      'It grows with its data; requests to it are billed. Endpoints mount it with --set globalVolumes=\'["ID"]\'.',
    needed: ['name'],
    examples: [['berth global-volumes create models', 'without a size or a data center']],
  }),
  delete: remove(GLOBAL_VOLUMES, {
    summary: 'delete global volumes and the data on them',
    loses: 'all data on it',
    typed: () => true,
    examples: [['berth global-volumes delete models --yes', 'in a script']],
  }),
});
