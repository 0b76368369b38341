import { encodeJson, type JsonObject, numberOf, objectOf, stringOf } from '../../core/json.ts';
import type { ApiAnswer } from '../../core/api.ts';
import { ABSENT, Failure } from '../../core/failure.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import type { CreateRequest, WriteSpec } from '../../cli/resource/write.ts';
import { MAX_GB, MIN_GB, VOLUME_TABLE } from './fields.ts';
import { ASK_PER_MONTH, hasKnownPlaces } from '../../cli/money/disks.ts';
import { volumeRefusals } from '../explain/would-be-refused.ts';
import { monthlyCost, standardMonthly } from '../../cli/money/hourly-cost.ts';

export const createSpec: WriteSpec = {
  summary: 'create a network volume',
  details: `Sizes are GB, ${MIN_GB} to ${MAX_GB}; a volume can grow later and never shrink, and its data center and type are for good. Where a rest address is configured and no --type is asked for, the older volume API (v1) is tried first.`,
  ...bodyOf(VOLUME_TABLE, 'create'),
  needed: ['name', 'size', 'dataCenter'],
  setExample: 'size=200',
  adapt: withDataCenter,
  price: async (ctx, body) => {
    if (!(await hasKnownPlaces(ctx, body))) return undefined;
    const size = numberOf(body['size']) ?? 0;
    const cost = monthlyCost(size, stringOf(body['type']));
    return {
      line: `${size} GB in ${stringOf(body['dataCenter']) ?? '?'} costs ${cost}, used or not, until it is deleted.`,
      asks: standardMonthly(size) >= ASK_PER_MONTH,
      inQuestion: `for ${cost}`,
    };
  },
  send,
  wouldRefuse: volumeRefusals,
  examples: [
    ['berth volumes create --name data --size 100 --data-center EU-NORTH-1', 'a hundred GB of standard storage'],
  ],
};

/** v1 if a rest address is set and no tier is given (specification 4.4); v2 if v1 is gone (additions 25). */
async function send(ctx: CommandContext, request: CreateRequest): Promise<ApiAnswer> {
  const { dataCenter, ...body } = request.body;
  const address = ctx.settings.get('rest-url');
  if (body['type'] !== undefined || address === undefined) return await ctx.api.send(request);
  if (ctx.dryRun) await ctx.tell('If the older volume API (v1) is retired, v2 creates the volume.');
  try {
    const path = ['v1', 'networkvolumes'];
    const v1 = { ...request, service: 'rest', path, hasFallback: true } as const;
    return inV2Words(await ctx.api.send({ ...v1, body: { ...body, dataCenterId: dataCenter } }));
  } catch (error) {
    if (!isGone(error)) throw error;
    await ctx.tell(`The older volume API (v1) is retired (${error.status ?? error.message}): v2 creates the volume.`);
    return await ctx.api.send(request);
  }
}

const isGone = (error: unknown): error is Failure =>
  error instanceof Failure && (error.status === 404 || error.status === 410 || error.code === ABSENT);

function withDataCenter({ dataCenterId, ...document }: JsonObject): JsonObject {
  return dataCenterId === undefined ? document : { dataCenter: dataCenterId, ...document };
}

/** v1 has no tiers: it creates standard storage. */
function inV2Words(answer: ApiAnswer): ApiAnswer {
  const volume = objectOf(answer.value);
  if (volume === undefined) return answer;
  const value = { type: 'STANDARD', ...withDataCenter(volume) };
  return { ...answer, value, text: encodeJson(value) };
}
