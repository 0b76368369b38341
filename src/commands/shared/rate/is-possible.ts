import { unlessFailed } from '../../../core/failure.ts';
import { type Json, memberAt, numberAt, stringOf, stringsOf } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { lookupRows } from '../../../cli/resource/identity/requests.ts';
import { idOf } from '../../../output/view.ts';
import { DATA_CENTERS } from '../collections.ts';

/**
 * Whether a body names only data centers that there are: no price is said for what the service will refuse. True where the
 * catalog cannot be read.
 */
export async function hasKnownPlaces(ctx: CommandContext, body: Json): Promise<boolean> {
  const one = stringOf(memberAt(body, 'dataCenter'));
  const named = [...stringsOf(memberAt(body, 'dataCenterIds')), ...(one === undefined ? [] : [one])];
  if (named.length === 0) return true;
  const known = await unlessFailed(ctx, async () => (await lookupRows(ctx, DATA_CENTERS)).map(idOf));
  return known === undefined || named.every((place) => known.includes(place));
}

/** Whether a GPU type has this many on one machine of a cloud, by its row of the catalog; true where that is not known. */
export const hasSoMany = (gpu: Json | undefined, cloud: string, count: number): boolean =>
  count <= (numberAt(gpu, `maxCount.${cloud.toLowerCase()}`) ?? count);
