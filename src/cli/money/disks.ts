/** Container disks: they are paid besides the hardware, at prices that are not published. */

import type { CommandContext } from '../model/context.ts';
import { DATA_CENTERS, TEMPLATES } from '../resource/collections.ts';
import { readRow } from '../resource/identify.ts';
import { lookupRows } from '../resource/requests.ts';
import { unlessFailed } from '../../core/failure.ts';
import {
  itemsAt,
  type Json,
  type JsonObject,
  memberAt,
  numberAt,
  stringAt,
  stringOf,
  stringsOf,
} from '../../core/json.ts';
import { idOf } from '../../output/view.ts';

/** GB. Default for bodies without one: the contract has none and refuses them (additions 3). */
export const DISK_GB = 20;

/** GB, if larger than the default of a create. */
export function largeDisk(body: Json): number | undefined {
  const size = numberAt(body, 'disk');
  return size !== undefined && size > DISK_GB ? size : undefined;
}

/** Undefined for a disk of the usual size. `each`: the owner, if several have one. */
export function largeDiskLine(body: Json, each?: 'pod' | 'worker'): string | undefined {
  const size = largeDisk(body);
  if (size === undefined) return undefined;
  const whose = each === undefined ? 'Its container disk' : `The container disk of each ${each}`;
  return `${whose} (${size} GB) is paid too, at a price that is not published.`;
}

/** US dollars. From this cost, a terminal asks before a create or start. */
export const ASK_PER_HOUR = 5;
export const ASK_PER_MONTH = 50;

/** Mounts only for a GPU pod without mounts (contract rules, Pods). Unchanged if the read fails. */
export async function withTemplateDisks(ctx: CommandContext, body: JsonObject): Promise<JsonObject> {
  const template = stringAt(body, 'templateId');
  const takesMount = body['mounts'] === undefined && body['cpu'] === undefined;
  if (template === undefined || !(takesMount || body['disk'] === undefined)) return body;
  const row = (await unlessFailed(ctx, () => readRow(ctx, TEMPLATES, template)))?.answer.value;
  const persistent = memberAt(row, 'mounts.persistent') ?? null;
  const disk = body['disk'] ?? memberAt(row, 'disk');
  return {
    ...body,
    ...(disk === undefined ? {} : { disk }),
    ...(takesMount && persistent !== null ? { mounts: { persistent } } : {}),
  };
}

/** The service will refuse unknown data centers: no price then. True if the catalog cannot be read. */
export async function hasKnownPlaces(ctx: CommandContext, body: Json): Promise<boolean> {
  const one = stringOf(memberAt(body, 'dataCenter'));
  const named = [...stringsOf(memberAt(body, 'dataCenterIds')), ...(one === undefined ? [] : [one])];
  if (named.length === 0) return true;
  const known = await unlessFailed(ctx, async () => (await lookupRows(ctx, DATA_CENTERS)).map(idOf));
  return known === undefined || named.every((place) => known.includes(place));
}

/** On one machine; true if unknown. */
export const hasSoMany = (gpu: Json | undefined, cloud: string, count: number): boolean =>
  count <= (numberAt(gpu, `maxCount.${cloud.toLowerCase()}`) ?? count);

/** Includes pods of clusters. */
export const usedVolumeIds = (pods: readonly Json[], endpoints: readonly Json[]): ReadonlySet<string> =>
  new Set([
    ...pods.flatMap((pod) => itemsAt(pod, 'mounts.network').map((mount) => stringAt(mount, 'volumeId') ?? '')),
    ...endpoints.flatMap((endpoint) => itemsAt(endpoint, 'networkVolumes').map((id) => stringOf(id) ?? '')),
  ]);
