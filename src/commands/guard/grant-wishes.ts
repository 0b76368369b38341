import { rethrowUnlessFailure, unlessFailed, type Failure } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { formatDuration } from '../../core/units.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { listRequest } from '../../cli/resource/identity/requests.ts';
import { readList } from '../../cli/resource/pages/read-list.ts';
import { createRequest } from '../../cli/resource/write.ts';
import { sendReferences } from '../../cli/resource/body/references.ts';
import { idOf } from '../../output/view.ts';
import { podsOfKey } from '../../create/key.ts';
import { consequenceOf } from '../../create/refusals.ts';
import { isTooExpensive } from '../../create/candidates.ts';
import { describeOffers, isExhausted, LEAST_MS } from '../../create/wait.ts';
import { decodeWishes, encodeWishes, withChange, type Wish } from '../../create/wishes.ts';
import { openKeyedPod } from '../shared/capacity/keyed-create.ts';
import { changeCreates, readCreates } from '../shared/capacity/memory.ts';
import { offerText, readOffers } from '../shared/capacity/offers.ts';
import { tryRound } from '../shared/capacity/place.ts';
import { CREATE_REFERENCES } from '../shared/capacity/references.ts';
import { whereItIs } from '../shared/capacity/pod-of-key.ts';
import { PODS } from '../shared/collections.ts';

/**
 * Tries each wish of this machine once. What becomes of it is kept, and said where it ends. A failure belongs to its wish;
 * an interrupt ends it, and the next guard goes on with the same key. Returns those that wait on.
 */
export async function grantWishes(ctx: CommandContext): Promise<readonly Wish[]> {
  const waiting = await readWaiting(ctx);
  for (const { key } of waiting) {
    try {
      await grantWish(ctx, key);
    } catch (error) {
      // Deadlines are kept all the same.
      rethrowUnlessFailure(error, ctx);
      await ctx.tell(`Wish ${key}: ${error.message}.`);
    }
  }
  return waiting.length === 0 ? [] : await readWaiting(ctx);
}

/** What a guard that acts would do now about the wishes that wait, with the prices of now: a line for each. */
export async function wishLines(ctx: CommandContext): Promise<readonly string[]> {
  const waiting = await readWaiting(ctx);
  if (waiting.length === 0) return [];
  const pods = (await unlessFailed(ctx, () => readList(ctx.api, listRequest(PODS))))?.values ?? [];
  const lines: string[] = [];
  for (const wish of waiting)
    lines.push(`Wish ${wish.key} would ${await wouldDo(ctx, wish, podsOfKey(pods, wish.key)[0])}`);
  return lines;
}

/** What would be done about one wish; `pod` is the one with its key. In the order of `grantWish`. */
async function wouldDo(ctx: CommandContext, wish: Wish, pod: Json | undefined): Promise<string> {
  const { body, wanted, triedAt } = wish;
  const now = ctx.serviceNow();
  if (triedAt !== undefined && isJustTried(wish, now))
    return `not be tried yet: it was tried ${formatDuration(Math.abs(now - triedAt))} ago.`;
  if (pod !== undefined) return `end: it has its pod. ${whereItIs(pod)}`;
  if (now >= wish.until) return `end: ${TIME_IS_OVER}.`;
  const offers = await unlessFailed(ctx, () => readOffers(ctx, body, wanted, false));
  const allowed = offers?.filter((offer) => !isTooExpensive(offer, wanted.maxPrice)) ?? [];
  const tried = offers === undefined ? wanted.gpus.join(', ') : allowed.map(offerText).join(', ');
  return `be tried: ${tried === '' ? 'nothing is within its price' : tried}.`;
}

const TIME_IS_OVER = 'its time is over, and nothing was created';

/** Whether the last try of a wish is too short ago for another one. */
const isJustTried = ({ triedAt }: Wish, now: number): boolean =>
  triedAt !== undefined && Math.abs(now - triedAt) < LEAST_MS;

const readWaiting = async (ctx: CommandContext): Promise<readonly Wish[]> =>
  decodeWishes(await readCreates(ctx)).filter(({ state }) => state === 'waiting');

async function grantWish(ctx: CommandContext, key: string): Promise<void> {
  // It may have been cancelled since the list was read.
  const wish = (await readWaiting(ctx)).find((each) => each.key === key);
  const now = ctx.serviceNow();
  if (wish === undefined || isJustTried(wish, now)) return;
  const { row, ...change } = await tryWish(ctx, wish, now);
  await changeCreates(ctx, (before) => ({
    wishes: encodeWishes(withChange(decodeWishes(before), key, { triedAt: now, ...change })),
  }));
  if (row !== undefined) await ctx.tell(`Wish ${key} has its pod. ${whereItIs(row)}`);
  else if (change.state !== undefined) await ctx.tell(`Wish ${key} has ended: ${change.why ?? ''}.`);
}

/** What one try changes about a wish, and the pod that there is then. */
async function tryWish(ctx: CommandContext, wish: Wish, now: number): Promise<Partial<Wish> & { readonly row?: Json }> {
  const { key, wanted, body } = wish;
  const keyed = openKeyedPod(ctx, key, { body, gpus: wanted.gpus });
  const isOver = now >= wish.until;
  try {
    const found = await keyed.find();
    if (found !== undefined && isOver) return { state: 'made', pod: idOf(found), row: found };
    if (isOver) return { state: 'over', why: TIME_IS_OVER };
    const beganAt = ctx.clock.monotonic();
    const round = await sendReferences(ctx, CREATE_REFERENCES, body, (known) =>
      tryRound(
        ctx,
        { request: createRequest(PODS, 'pods', known), wanted, startMs: undefined, keyed },
        { tries: new Map(), hasBegun: false, beganAt, isOnce: false },
      ),
    );
    if (round.pod !== undefined) return { state: 'made', pod: idOf(round.pod), row: round.pod };
    if (round.offers !== undefined && isExhausted(round.offers, round.tries))
      return { state: 'refused', why: round.refusal?.message ?? 'no candidate is allowed' };
    return {
      why:
        round.offers === undefined
          ? (round.refusal?.message ?? '')
          : describeOffers(round.offers, round.tries, wanted.maxPrice),
    };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return refused(error);
  }
}

/** A service that does not answer is asked again; anything else ends the wish. */
const refused = (failure: Failure): Partial<Wish> =>
  ['later', 'next'].includes(consequenceOf(failure))
    ? { why: failure.message }
    : { state: 'refused', why: failure.message };
