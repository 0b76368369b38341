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
  return checked(placeIn(await lookupRows(ctx, VOLUMES), volume), dataCenters);
}

/**
 * Refuses a body that names data centers without the one where its network volume is: usage (2). A list of volumes that
 * cannot be read refuses nothing.
 */
export async function refuseVolumeElsewhere(ctx: CommandContext, body: JsonObject): Promise<void> {
  const dataCenters = stringsOf(memberAt(body, 'dataCenterIds'));
  const volume = stringAt(body, 'mounts.network.0.volumeId');
  if (volume === undefined || dataCenters.length === 0) return;
  checked(placeIn((await unlessFailed(ctx, () => lookupRows(ctx, VOLUMES))) ?? [], volume), dataCenters);
}

function placeIn(rows: readonly Json[], volume: string): VolumePlace | undefined {
  const named = rows.filter((row) => stringAt(row, 'name') === volume);
  const row = rows.find((each) => idOf(each) === volume) ?? (named.length === 1 ? named[0] : undefined);
  const dataCenter = stringAt(row, 'dataCenter');
  return dataCenter === undefined ? undefined : { volume, dataCenter };
}

function checked(place: VolumePlace | undefined, dataCenters: readonly string[]): VolumePlace | undefined {
  if (place !== undefined && dataCenters.length > 0 && !dataCenters.includes(place.dataCenter))
    throw usage(
      `the volume ${place.volume} is in ${place.dataCenter}, and --data-center names ${dataCenters.join(', ')}`,
      'A volume is mounted where it is: name its data center, or none.',
    );
  return place;
}
