import { isDeepStrictEqual } from 'node:util';
import { usage } from '../../../core/failure.ts';
import type { JsonObject } from '../../../core/json.ts';
import { berth, sentence } from '../../../core/message.ts';
import { formatTimestamp } from '../../../core/text/timestamp.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Result } from '../../../output/view.ts';
import { withKey } from '../../../create/key.ts';
import { hasDeadlineTo } from '../../../guard/deadline.ts';
import { decodeWishes, encodeWishes, type Wish } from '../../../create/wishes.ts';
import { checkSize } from '../body/check-size.ts';
import { guardCommand } from '../../guard/sweep/memory.ts';
import { newKey } from '../../shared/capacity/keyed-create.ts';
import { changeCreates, plainOf } from '../../shared/capacity/memory.ts';
import { readOffers, whereVolumeIs } from '../../shared/capacity/offers.ts';
import type { Plan } from './options.ts';
import { triedOf } from './send-planned.ts';
import { confirmOffers } from './confirm-offers.ts';

/**
 * Keeps a create as a wish that the guards of this machine work for; the same one again changes nothing. What can never be
 * placed is refused at once, and so is another wish with a key that waits: usage (2). Fails with local-file (14) where it
 * cannot be kept.
 */
export async function keepWish(ctx: CommandContext, body: JsonObject, plan: Plan): Promise<Result> {
  const key = plan.key ?? newKey(ctx);
  if (plan.wanted === undefined || plan.waitMs === undefined) throw usage('--detach needs --until-available');
  if (plan.startMs !== undefined)
    throw usage('--detach and --start-timeout exclude each other', 'A guard does not wait for the start of a pod.');
  await checkSize(ctx, withKey(body, key, key));
  const wanted = await whereVolumeIs(ctx, body, plan.wanted);
  await confirmOffers(ctx, body, triedOf(await readOffers(ctx, body, wanted, true), plan));
  const wish: Wish = { key, state: 'waiting', body, wanted, until: ctx.serviceNow() + plan.waitMs };
  let kept = wish;
  await changeCreates(ctx, (before) => {
    const wishes = decodeWishes(before);
    kept = wishes.find((each) => each.key === key && each.state === 'waiting') ?? wish;
    const differing = differences(kept, wish);
    if (differing.length > 0)
      throw usage(
        `a wish with the key ${key} waits already, with another ${differing.join(', ')}`,
        sentence`Take another key, or cancel it first: ${berth`guard wishes cancel ${key}`}`,
      );
    return { wishes: encodeWishes([...wishes.filter((each) => each.key !== key), kept]) };
  });
  const since = kept === wish ? 'Kept' : 'Kept already';
  return {
    kind: 'nothing',
    notes: [
      `${since} with the key ${key}, until ${formatTimestamp(kept.until)}: nothing was created yet.`,
      sentence`A guard on this machine tries: ${guardCommand(hasDeadlineTo('terminate', body['env']))}. Look: ${berth`guard wishes list`}. Cancel it: ${berth`guard wishes cancel ${key}`}`,
    ],
  };
}

/** The members in which two wishes differ, as they are kept. */
function differences(one: Wish, other: Wish): readonly string[] {
  const [first, second] = [one, other].map(({ body, wanted }) => plainOf({ ...body, placement: { ...wanted } }));
  const names = new Set([...Object.keys(first ?? {}), ...Object.keys(second ?? {})]);
  return [...names].filter((name) => !isDeepStrictEqual(first?.[name], second?.[name])).toSorted();
}
