import { unlessFailed, usage } from '../../../core/failure.ts';
import { memberAt, stringAt, stringsOf, type Json, type JsonObject } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { lookupRows } from '../../../cli/resource/identity/requests.ts';
import { idOf } from '../../../output/view.ts';
import { VOLUMES } from '../collections.ts';

/** A network volume as a body names it, by id or name, and the data center it is in. */
interface VolumePlace {
  readonly volume: string;
  readonly dataCenter: string;
}

/**
 * Where the network volume of a body is; undefined without one, and for one that is not found, which is for the service to
 * refuse. Fails with usage (2) where `dataCenters` are others, and as the list of volumes does.
 */
export async function placeOfVolume(
  ctx: CommandContext,
  body: JsonObject,
  dataCenters: readonly string[],
): Promise<VolumePlace | undefined> {
  const volume = stringAt(body, 'mounts.network.0.volumeId');
  if (volume === undefined) return undefined;
  const place = placeIn(await lookupRows(ctx, VOLUMES), volume);
  refuseUnlessThere([place], `--data-center names ${dataCenters.join(', ')}`, dataCenters);
  return place;
}

/**
 * Refuses a body that names data centers without one where a network volume of it is: usage (2). What a change does not name
 * is that of the endpoint `before` it. A list of volumes that cannot be read refuses nothing.
 */
export async function refuseVolumeElsewhere(ctx: CommandContext, body: JsonObject, before: Json = null): Promise<void> {
  const mounted = stringAt(body, 'mounts.network.0.volumeId');
  const given = memberAt(body, 'dataCenterIds');
  const dataCenters = stringsOf(given ?? memberAt(before, 'dataCenterIds'));
  const volumes =
    mounted === undefined ? stringsOf(body['networkVolumes'] ?? memberAt(before, 'networkVolumes')) : [mounted];
  if (volumes.length === 0 || dataCenters.length === 0) return;
  const rows = (await unlessFailed(ctx, () => lookupRows(ctx, VOLUMES))) ?? [];
  const wanted = given === undefined ? 'it may run only in' : '--data-center names';
  refuseUnlessThere(
    volumes.map((volume) => placeIn(rows, volume)),
    `${wanted} ${dataCenters.join(', ')}`,
    dataCenters,
  );
}

function placeIn(rows: readonly Json[], volume: string): VolumePlace | undefined {
  const named = rows.filter((row) => stringAt(row, 'name') === volume);
  const row = rows.find((each) => idOf(each) === volume) ?? (named.length === 1 ? named[0] : undefined);
  const dataCenter = stringAt(row, 'dataCenter');
  return dataCenter === undefined ? undefined : { volume, dataCenter };
}

/** Refuses volumes that are all in other data centers: usage (2). One whose place is not known may be there. */
function refuseUnlessThere(
  places: readonly (VolumePlace | undefined)[],
  wanted: string,
  dataCenters: readonly string[],
): void {
  const elsewhere = places.flatMap((place) =>
    place === undefined || dataCenters.includes(place.dataCenter)
      ? []
      : [`the volume ${place.volume} is in ${place.dataCenter}`],
  );
  if (dataCenters.length === 0 || elsewhere.length < places.length) return;
  throw usage(
    `${elsewhere.join(', ')}, and ${wanted}`,
    'A volume is mounted where it is: name its data center, or none.',
  );
}
