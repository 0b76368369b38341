import { memberAt, stringAt, stringsOf, type JsonObject, objectOf } from '../../../core/json.ts';
import { formatDollars } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Query } from '../../../cli/model/collection.ts';
import { listRows } from '../../../cli/resource/identity/requests.ts';
import { textColumn } from '../../../cli/resource/fields/detail-lines.ts';
import { money, text } from '../../../output/cells/cell-functions.ts';
import { idOf, type View } from '../../../output/view.ts';
import { nameOf, offersOf, refuseNever, type Offer, type Wanted } from '../../../create/candidates.ts';
import { DATA_CENTERS, GPUS } from '../collections.ts';
import { placeOfVolume } from './volume-place.ts';

/** Asks the catalog for what a body needs (contract rules, Catalog). */
function catalogQuery(body: JsonObject, { count, cloud }: Wanted): Query {
  const versions = stringsOf(memberAt(body, 'gpu.allowedCudaVersions'));
  return {
    include: 'AVAILABILITY',
    product: 'POD',
    count,
    cloud,
    cudaVersions: versions.length === 0 ? undefined : versions.join(','),
    minCudaVersion: stringAt(body, 'gpu.minCudaVersion'),
  };
}

/**
 * Reads the offers of now, in their order. The first time, what can never be placed is refused, as by `refuseNever`. Fails as the
 * catalog does.
 */
export async function readOffers(
  ctx: CommandContext,
  body: JsonObject,
  wanted: Wanted,
  isFirst: boolean,
): Promise<readonly Offer[]> {
  const { values } = await listRows(ctx, GPUS, catalogQuery(body, wanted));
  if (isFirst) {
    const places = wanted.dataCenters.length === 0 ? [] : (await listRows(ctx, DATA_CENTERS)).values.map(idOf);
    refuseNever(wanted, values, places);
  }
  return offersOf(wanted, values);
}

/**
 * What is wanted where the network volume of the body is, which is the only data center for the pod; said once. Fails as
 * `placeOfVolume` does.
 */
export async function whereVolumeIs(ctx: CommandContext, body: JsonObject, wanted: Wanted): Promise<Wanted> {
  const place = await placeOfVolume(ctx, body, wanted.dataCenters);
  if (place === undefined) return wanted;
  await ctx.tell(`The volume ${place.volume} is in ${place.dataCenter}: only there is the pod placed.`);
  return { ...wanted, dataCenters: [place.dataCenter] };
}

/** The body of the request for an offer. */
export const bodyFor = (body: JsonObject, { gpu, dataCenter }: Offer): JsonObject => ({
  ...body,
  gpu: { ...objectOf(body['gpu']), id: gpu },
  ...(dataCenter === undefined ? {} : { dataCenterIds: [dataCenter] }),
});

/** `GPU-80G ($2.39 an hour, high)`. */
export function offerText(offer: Offer): string {
  const { price, stock = 'stock unknown' } = offer;
  const cost = price === undefined ? 'price unknown' : `${formatDollars(price)} an hour`;
  return `${nameOf(offer)} (${cost}, ${stock.toLowerCase()})`;
}

/** Candidates as a table. */
export const OFFER_VIEW: View = {
  noun: ['candidate', 'candidates'],
  id: text('gpu'),
  columns: [
    textColumn('gpu', { cutLast: true }),
    textColumn('dataCenter'),
    { header: 'COST/HR', show: money('price'), right: true },
    textColumn('stock'),
  ],
};

/** An offer as a row of `OFFER_VIEW`. */
export const offerRow = ({ gpu, dataCenter, price, stock }: Offer): JsonObject => ({
  gpu,
  dataCenter: dataCenter ?? 'any',
  ...(price === undefined ? {} : { price }),
  stock: stock ?? 'unknown',
});
