import type { ApiAnswer } from '../../core/api.ts';
import { ABSENT, Failure } from '../../core/failure.ts';
import { encodeJson, itemsAt, type Json, type JsonObject, objectOf, stringAt, stringOf } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ofVolume, perMonth, sum } from '../../cli/money.ts';
import { ENDPOINTS, PODS, VOLUMES as COLLECTION } from '../../cli/resource/collections.ts';
import { usersOf } from '../../cli/resource/in-use.ts';
import { get, list, noun } from '../../cli/resource/noun.ts';
import { create, type CreateRequest, remove, update } from '../../cli/resource/noun-writes.ts';
import { labelOf, resource } from '../../cli/resource/targets.ts';
import { countOf } from '../../cli/words.ts';
import { sizeOf, VOLUME_TABLE } from './fields.ts';

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
