import type { CommandContext } from '../../cli/model/context.ts';
import { hasExpensiveMount, isAskedAbout, largeDiskLine, withTemplateDisks } from '../../cli/money/disks.ts';
import { keptDisks } from '../../cli/money/hourly-cost.ts';
import { askToCreate, AT_UNKNOWN_PRICE, tellPrice } from '../../cli/resource/ask-before-write.ts';
import type { CreateRequest } from '../../cli/resource/write.ts';
import { unlessUnread } from '../../cli/run/dry-run.ts';
import { checkSize } from './body-checks.ts';
import {
  bodyFor,
  OFFER_VIEW,
  offerRow,
  offerText,
  place,
  readOffers,
  whereVolumeIs,
  withKeyHint,
} from './candidates.ts';
import type { Plan } from './capacity-options.ts';
import { costUntilDeadline } from './deadlines.ts';
import { type KeyedPod, newKey, openKeyedPod, podOfKey, readPodOfKey, whereItIs } from './keyed-create.ts';
import { andDisks } from './price.ts';
import type { ApiAnswer } from '../../core/api.ts';
import { encodeJson, type Json, type JsonObject } from '../../core/json.ts';
import { inOne } from '../../core/message.ts';
import { formatDollars } from '../../core/units.ts';
import { isTooExpensive, type Offer, type Wanted } from '../../create/candidates.ts';
import { withKey } from '../../create/key.ts';
import { offersOnce } from '../../create/wait.ts';
import { idOf } from '../../output/view.ts';

/** Asks if one costs much or an unknown amount, and after other questions (`asked`). Declined (2). */
async function confirmOffers(
  ctx: CommandContext,
  body: JsonObject,
  offers: readonly Offer[],
  asked: boolean,
): Promise<void> {
  const most = Math.max(0, ...offers.flatMap(({ price }) => price ?? []));
  const isUnknown = offers.some(({ price }) => price === undefined);
  const toAsk = await tellPrice(ctx, async () => {
    const whole = await withTemplateDisks(ctx, body);
    const others = [
      largeDiskLine(whole),
      keptDisks([whole]),
      most === 0 ? undefined : await costUntilDeadline(ctx, whole, most),
    ];
    const line = inOne([
      `In this order: ${offers.map(offerText).join(', ')}.`,
      ...others.filter((other) => other !== undefined),
    ]);
    return {
      line,
      asks: asked || isAskedAbout(isUnknown ? undefined : most) || hasExpensiveMount(whole),
      inQuestion: isUnknown ? AT_UNKNOWN_PRICE : `for at most ${formatDollars(most)} an hour${andDisks(whole)}`,
    };
  });
  if (toAsk !== undefined) await askToCreate(ctx, toAsk);
}

/** In a dry run: a real one is made when the pod is created. */
const NO_ATTEMPT = 'x'.repeat(16);

/** `asked`: a person has answered questions. Fails as `place` does; a dry run shows the candidates. */
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
  // A key of its own has no other create.
  const lock =
    plan.key === undefined
      ? undefined
      : await ctx.accountLock(`the create with the key ${key}`, (holder) => ctx.tell(`Waiting: ${holder}.`));
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
    throw withKeyHint(error, key, opened.known());
  } finally {
    lock?.release();
  }
}

const answerOf = (pod: Json): ApiAnswer => ({ status: 200, headers: {}, text: encodeJson(pod), value: pod });

/** Without a wait only those in stock; never one above the price. */
const triedOf = (offers: readonly Offer[], { wanted, waitMs }: Plan): readonly Offer[] =>
  waitMs === undefined
    ? offersOnce(offers, wanted?.maxPrice)
    : offers.filter((offer) => !isTooExpensive(offer, wanted?.maxPrice));

async function tellTooExpensive(ctx: CommandContext, offers: readonly Offer[], wanted: Wanted | undefined) {
  const above = offers.filter((offer) => isTooExpensive(offer, wanted?.maxPrice));
  if (above.length > 0) await ctx.tell(`Not tried, above --max-price: ${above.map(offerText).join(', ')}.`);
}

/** In the given order if the catalog cannot be read. */
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
