import type { JsonObject } from '../../../core/json.ts';
import { inOne } from '../../../core/message.ts';
import { formatDollars } from '../../../core/units.ts';
import { askToCreate, AT_UNKNOWN_PRICE, tellPrice } from '../../../cli/resource/ask-before-write.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Offer } from '../../../create/candidates.ts';
import { isAskedAbout } from '../../shared/rate/ask-limits.ts';
import { offerText } from '../../shared/capacity/offers.ts';
import { largeDiskLine } from '../../shared/rate/large-disk.ts';
import { keptDisks } from '../../shared/rate/stopped-disks.ts';
import { hasExpensiveMount, withTemplateDisks } from '../../shared/rate/template-disks.ts';
import { costUntilDeadline } from '../pod/deadline-cost.ts';
import { andDisks } from '../pod/unpriced-disks.ts';

/**
 * Says what is tried, in its order, and what the dearest costs until a deadline of the pod. A person is asked where one costs
 * much, or what is not known, and after other questions (`asked`): a no fails with declined (2).
 */
export async function confirmOffers(
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
