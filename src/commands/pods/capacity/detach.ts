import { usage } from '../../../core/failure.ts';
import type { JsonObject } from '../../../core/json.ts';
import { berth, sentence } from '../../../core/message.ts';
import { formatTimestamp } from '../../../core/text/timestamp.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Result } from '../../../output/view.ts';
import { withKey } from '../../../create/key.ts';
import { decodeWishes, encodeWishes, type Wish } from '../../../create/wishes.ts';
import { checkSize } from '../body/check-size.ts';
import { newKey } from '../../shared/capacity/keyed-create.ts';
import { changeCreates } from '../../shared/capacity/memory.ts';
import { readOffers, whereVolumeIs } from '../../shared/capacity/offers.ts';
import type { Plan } from './options.ts';

/**
 * Keeps a create as a wish that the guards of this machine work for. What can never be placed is refused at once: usage (2).
 * Fails with local-file (14) where it cannot be kept.
 */
export async function keepWish(ctx: CommandContext, body: JsonObject, plan: Plan): Promise<Result> {
  const key = plan.key ?? newKey(ctx);
  if (plan.wanted === undefined || plan.waitMs === undefined) throw usage('--detach needs --until-available');
  if (plan.startMs !== undefined)
    throw usage('--detach and --start-timeout exclude each other', 'A guard does not wait for the start of a pod.');
  await checkSize(ctx, withKey(body, key, key));
  const wanted = await whereVolumeIs(ctx, body, plan.wanted);
  await readOffers(ctx, body, wanted, true);
  const until = ctx.serviceNow() + plan.waitMs;
  const wish: Wish = { key, state: 'waiting', body, wanted, until };
  await changeCreates(ctx, (before) => {
    const wishes = decodeWishes(before);
    if (wishes.some((each) => each.key === key && each.state === 'waiting'))
      throw usage(`there is a wish with the key ${key} already`, 'Cancel it first, or take another key.');
    return { wishes: encodeWishes([...wishes.filter((each) => each.key !== key), wish]) };
  });
  return {
    kind: 'nothing',
    notes: [
      `Kept with the key ${key}, until ${formatTimestamp(until)}: nothing was created yet.`,
      sentence`A guard on this machine tries: ${berth`guard run --every 1m`}. Look, or cancel it: ${berth`guard wishes list`}`,
    ],
  };
}
