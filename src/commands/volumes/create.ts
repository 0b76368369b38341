import { encodeJson, type JsonObject, numberOf, objectOf, stringOf } from '../../core/json.ts';
import type { ApiAnswer } from '../../core/api.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { bodyOf } from '../../cli/resource/body/field-writes.ts';
import type { CreateRequest, WriteSpec } from '../../cli/resource/write.ts';
import { isLocalService } from '../shared/is-local-service.ts';
import { isKnownRetired, isRetired, saysRetired, tellRetired, V1 } from './retired-v1.ts';
import { MAX_GB, MIN_GB, VOLUME_TABLE } from './fields.ts';
import { ASK_PER_MONTH } from '../shared/rate/ask-limits.ts';
import { volumeRefusals } from '../shared/refusals/would-be-refused.ts';
import { hasKnownPlaces } from '../shared/rate/is-possible.ts';
import { monthlyCost, standardMonthly } from '../shared/rate/volume-price.ts';

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

/**
 * Sends POST {base}/v2/network-volumes. Where a rest address is configured and no tier is given, POST
 * {rest}/v1/networkvolumes comes first (specification 4.4): only where that API is retired, which the answers 410 and 404
 * say, is the request sent to v2 (additions to the contract, 4).
 */
async function send(ctx: CommandContext, request: CreateRequest): Promise<ApiAnswer> {
  const { dataCenter, ...body } = request.body;
  const address = ctx.settings.get('rest-url');
  if (body['type'] !== undefined || address === undefined || (await isKnownRetired(ctx, address)))
    return await ctx.api.send(request);
  if (ctx.dryRun) {
    if (await saysRetired(ctx)) return await ctx.api.send(request);
    await ctx.tell('Where the older volume API (v1) answers that it is retired, the volume is created with v2.');
  }
  try {
    return inV2Words(
      await ctx.api.send({
        ...request,
        ...V1,
        body: { ...body, dataCenterId: dataCenter },
      }),
    );
  } catch (error) {
    if (!isRetired(error)) throw error;
    const answer = await ctx.api.send(request);
    // Of the local service the address is not the user's: `local exec` sets it.
    if (!isLocalService(answer)) await tellRetired(ctx, address, error);
    return answer;
  }
}

/** A document with `dataCenter`, which the v1 API calls `dataCenterId`. */
function withDataCenter({ dataCenterId, ...document }: JsonObject): JsonObject {
  return dataCenterId === undefined ? document : { dataCenter: dataCenterId, ...document };
}

/** An answer of v1 as v2 gives it. v1 has no tiers: what it creates is standard storage. */
function inV2Words(answer: ApiAnswer): ApiAnswer {
  const volume = objectOf(answer.value);
  if (volume === undefined) return answer;
  const value = { type: 'STANDARD', ...withDataCenter(volume) };
  return { ...answer, value, text: encodeJson(value) };
}
