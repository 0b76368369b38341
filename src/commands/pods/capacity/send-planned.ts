import type { ApiAnswer } from '../../../core/api.ts';
import { encodeJson, type Json } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { unlessUnread } from '../../../cli/run/context/dry-run.ts';
import type { CreateRequest } from '../../../cli/resource/write.ts';
import { idOf } from '../../../output/view.ts';
import { isTooExpensive, type Offer, type Wanted } from '../../../create/candidates.ts';
import { offersOnce } from '../../../create/wait.ts';
import { withKey } from '../../../create/key.ts';
import { checkSize } from '../body/check-size.ts';
import { newKey, openKeyedPod, type KeyedPod } from '../../shared/capacity/keyed-create.ts';
import { bodyFor, OFFER_VIEW, offerRow, offerText, readOffers, whereVolumeIs } from '../../shared/capacity/offers.ts';
import { podOfKey, readPodOfKey, whereItIs } from '../../shared/capacity/pod-of-key.ts';
import type { Plan } from './options.ts';
import { confirmOffers } from './confirm-offers.ts';
import { place, withKeyHint } from '../../shared/capacity/place.ts';

/** The attempt in a dry run: a real one is made when the pod is created. */
const NO_ATTEMPT = 'x'.repeat(16);

/**
 * Sends a create by its plan, and returns the pod as the answer to it. `asked`: a person has answered questions about it. Fails
 * as `place` does; a dry run shows the candidates and their requests.
 */
export async function sendPlanned(
  ctx: CommandContext,
  request: CreateRequest,
  plan: Plan,
  asked: boolean,
): Promise<ApiAnswer> {
  const key = plan.key ?? newKey(ctx);
  await checkSize(ctx, withKey(request.body, key, NO_ATTEMPT));
  const { wanted: given } = plan;
  const wanted =
    given === undefined
      ? undefined
      : ((await unlessUnread(ctx, () => whereVolumeIs(ctx, request.body, given))) ?? given);
  if (ctx.dryRun) return await preview(ctx, request, { ...plan, wanted }, key);
  const opened = openKeyedPod(ctx, key, { body: request.body, gpus: wanted?.gpus });
  const found = new Set<string>();
  const keyed: KeyedPod = {
    ...opened,
    find: async () => {
      const pod = await opened.find();
      if (pod !== undefined) found.add(idOf(pod));
      return pod;
    },
  };
  const asAnswer = (pod: Json): ApiAnswer => ({ ...answerOf(pod), existed: found.has(idOf(pod)) });
  try {
    if (wanted === undefined) return asAnswer((await keyed.find()) ?? (await keyed.create(request)));
    const begin = async (offers: readonly Offer[]): Promise<void> => {
      if (plan.key === undefined)
        await ctx.tell(
          `The key of this create is ${key}: --idempotency-key ${key} goes on with it after an interruption.`,
        );
      await tellTooExpensive(ctx, offers, plan.wanted);
      await confirmOffers(ctx, request.body, triedOf(offers, plan), asked);
    };
    const pod = await place(ctx, { request, wanted, startMs: plan.startMs, keyed, begin }, plan.waitMs);
    await ctx.tell(whereItIs(pod));
    return asAnswer(pod);
  } catch (error) {
    throw await withKeyHint(ctx, error, key);
  }
}

const answerOf = (pod: Json): ApiAnswer => ({ status: 200, headers: {}, text: encodeJson(pod), value: pod });

/** The offers that are tried: without a wait those in stock, and never one above the price. */
const triedOf = (offers: readonly Offer[], { wanted, waitMs }: Plan): readonly Offer[] =>
  waitMs === undefined
    ? offersOnce(offers, wanted?.maxPrice)
    : offers.filter((offer) => !isTooExpensive(offer, wanted?.maxPrice));

/** Says which of the candidates are never tried. */
async function tellTooExpensive(ctx: CommandContext, offers: readonly Offer[], wanted: Wanted | undefined) {
  const above = offers.filter((offer) => isTooExpensive(offer, wanted?.maxPrice));
  if (above.length > 0) await ctx.tell(`Not tried, above --max-price: ${above.map(offerText).join(', ')}.`);
}

/** Ends a dry run with the requests, the candidates in their order. Where the catalog cannot be read, in the order given. */
async function preview(ctx: CommandContext, request: CreateRequest, plan: Plan, key: string): Promise<never> {
  const { wanted } = plan;
  const there = plan.key === undefined ? undefined : await unlessUnread(ctx, () => readPodOfKey(ctx, key));
  if (there !== undefined) {
    await ctx.tell(podOfKey(there, key, { body: request.body, gpus: wanted?.gpus }));
    return await ctx.previewAll([]);
  }
  const keyed = { ...request, body: withKey(request.body, key, NO_ATTEMPT) };
  const all =
    wanted === undefined ? undefined : await unlessUnread(ctx, () => readOffers(ctx, request.body, wanted, true));
  if (all === undefined) return await ctx.previewAll([keyed]);
  const tried = triedOf(all, plan);
  await tellTooExpensive(ctx, all, wanted);
  await ctx.tellRows(OFFER_VIEW, all.filter((offer) => !isTooExpensive(offer, wanted?.maxPrice)).map(offerRow));
  return await ctx.previewAll(tried.map((offer) => ({ ...keyed, body: bodyFor(keyed.body, offer) })));
}
