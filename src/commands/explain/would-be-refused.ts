/**
 * Why the service would refuse a body, by what can be read: the catalog and the lists of the account. For dry runs, which send
 * nothing: of a body that is sent the service is the judge. Words that no list has are told by `withKnownWords`.
 */

import type { CommandContext } from '../../cli/model/context.ts';
import { labelOf } from '../../cli/resource/choose.ts';
import { CPUS, DATA_CENTERS, GPUS, TEMPLATES, VOLUMES } from '../../cli/resource/collections.ts';
import { catalogRow } from '../../cli/resource/pickers.ts';
import { listRows, lookupRows } from '../../cli/resource/requests.ts';
import { findStock, noStockSentence, type StockFinding, wantedByPod } from './stock.ts';
import { unlessFailed, usage } from '../../core/failure.ts';
import { itemsAt, type Json, type JsonObject, memberAt, numberAt, stringAt, stringsOf } from '../../core/json.ts';
import { type Wanted, whyNever } from '../../create/candidates.ts';
import { idOf } from '../../output/view.ts';

type Reasons = Promise<readonly string[]>;

/** Fails as its reads do. */
export async function podRefusals(ctx: CommandContext, body: JsonObject): Reasons {
  return [
    ...(body['gpu'] === undefined ? await cpuOfPod(ctx, body) : await gpuOfPod(ctx, body)),
    ...(body['globalNetworking'] === true ? await globalNetwork(ctx, body) : []),
    ...(await templateOfPod(ctx, body)),
  ];
}

/** Fails as its reads do. */
export async function clusterRefusals(ctx: CommandContext, body: JsonObject): Reasons {
  return await podRefusals(ctx, podOfCluster(body));
}

export const podOfCluster = (body: JsonObject): JsonObject => ({
  gpu: { id: stringAt(body, 'compute.gpuTypeId') ?? '', count: numberAt(body, 'compute.gpuCountPerPod') ?? 1 },
  ...Object.fromEntries(
    ['dataCenterIds', 'templateId'].flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  ),
});

/** Fails as its reads do. */
export async function endpointRefusals(ctx: CommandContext, body: JsonObject): Reasons {
  const reasons: string[] = [];
  for (const flavor of itemsAt(body, 'cpu')) reasons.push(...(await vcpus(ctx, flavor)));
  const names = stringsOf(memberAt(body, 'networkVolumes'));
  if (names.length < 2) return reasons;
  const rows = await lookupRows(ctx, VOLUMES);
  const places = names.flatMap((name) => {
    const named = rows.find((row) => idOf(row) === name) ?? rows.find((row) => stringAt(row, 'name') === name);
    return stringAt(named, 'dataCenter') ?? [];
  });
  const twice = places.find((place, at) => places.indexOf(place) < at);
  return twice === undefined
    ? reasons
    : [...reasons, `several network volumes are in ${twice}: one in each data center`];
}

/** Fails as its reads do. */
export async function volumeRefusals(ctx: CommandContext, body: JsonObject): Reasons {
  const [place, type] = [
    stringAt(body, 'dataCenter') ?? stringAt(body, 'dataCenterId') ?? '',
    stringAt(body, 'type') ?? 'STANDARD',
  ];
  const types = memberAt(await catalogRow(ctx, DATA_CENTERS, place), 'networkVolumeTypes');
  return types === undefined || stringsOf(types).includes(type) ? [] : [`${place} has no volumes of type ${type}`];
}

async function gpuOfPod(ctx: CommandContext, body: JsonObject): Reasons {
  const id = stringAt(body, 'gpu.id') ?? '';
  const rows = await lookupRows(ctx, GPUS);
  const row = rows.find((each) => idOf(each) === id);
  if (row === undefined) return [];
  const wanted: Wanted = {
    gpus: [id],
    dataCenters: [],
    count: numberAt(body, 'gpu.count') ?? 1,
    cloud: body['cloud'] === 'COMMUNITY' ? 'COMMUNITY' : 'SECURE',
    maxPrice: undefined,
    prefer: 'order',
  };
  const never = whyNever(wanted, id, rows)?.text;
  const isNvidia = (stringAt(row, 'manufacturer') ?? 'NVIDIA') === 'NVIDIA';
  return [
    ...(never === undefined ? [] : [never]),
    ...((await hasCuda(ctx, id, body)) ? [] : [`no machine with ${id} has such a CUDA version`]),
    ...(body['globalNetworking'] === true && !isNvidia ? ['--global-networking needs an NVIDIA GPU'] : []),
  ];
}

/** True if the catalog does not say. */
async function hasCuda(ctx: CommandContext, id: string, body: JsonObject): Promise<boolean> {
  const allowed = stringsOf(memberAt(body, 'gpu.allowedCudaVersions'));
  const least = stringAt(body, 'gpu.minCudaVersion');
  if (allowed.length === 0 && least === undefined) return true;
  // Only the catalog with availability has the versions.
  const { values } = await listRows(ctx, GPUS, { include: 'AVAILABILITY', product: 'POD' });
  const gpu = values.find((row) => idOf(row) === id);
  const known = itemsAt(gpu, 'cudaVersions').flatMap((each) => stringAt(each, 'version') ?? []);
  if (known.length === 0) return true;
  if (allowed.length > 0) return known.some((version) => allowed.includes(version));
  return least === undefined || known.some((version) => isAtLeast(version, least));
}

/** 12.10 is above 12.8. */
function isAtLeast(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

async function cpuOfPod(ctx: CommandContext, body: JsonObject): Reasons {
  return [
    ...(await vcpus(ctx, memberAt(body, 'cpu') ?? null)),
    ...(body['cloud'] === 'COMMUNITY' ? ['the COMMUNITY cloud has no CPU pods'] : []),
    ...(body['globalNetworking'] === true ? ['--global-networking needs an NVIDIA GPU'] : []),
  ];
}

async function vcpus(ctx: CommandContext, flavor: Json): Reasons {
  const [id, count] = [stringAt(flavor, 'id') ?? '', numberAt(flavor, 'vcpuCount')];
  const row = await catalogRow(ctx, CPUS, id);
  const [min, max] = [numberAt(row, 'vcpu.min'), numberAt(row, 'vcpu.max')];
  if (count === undefined || min === undefined || max === undefined || (count >= min && count <= max)) return [];
  return [`${id} has ${min} to ${max} vCPUs, not ${count}`];
}

/** Placed only in data centers with one (contract, DataCenter.globalNetwork). */
async function globalNetwork(ctx: CommandContext, body: JsonObject): Reasons {
  const named = stringsOf(memberAt(body, 'dataCenterIds'));
  if (named.length === 0) return [];
  const rows = (await lookupRows(ctx, DATA_CENTERS)).filter((row) => named.includes(idOf(row)));
  const isNowhere = rows.length === named.length && rows.every((row) => memberAt(row, 'globalNetwork') === false);
  return isNowhere ? [`no global network is in ${named.join(' or ')}`] : [];
}

async function templateOfPod(ctx: CommandContext, body: JsonObject): Reasons {
  const word = stringAt(body, 'templateId');
  if (word === undefined) return [];
  const rows = await lookupRows(ctx, TEMPLATES);
  const row = rows.find((each) => idOf(each) === word) ?? rows.find((each) => stringAt(each, 'name') === word);
  return memberAt(row, 'serverless') === true ? [`template ${word} is for endpoints, not for pods`] : [];
}

interface VolumePlace {
  readonly volume: string;
  readonly dataCenter: string;
}

/** Undefined without or with an unknown volume: the service refuses it. Usage (2) for other `dataCenters`. */
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

/** Usage (2). Members the body lacks come from `before`. An unreadable list refuses nothing. */
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

/** Usage (2). A volume in an unknown place is accepted. */
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

/** Dry run only, not a refusal: the catalog may lag. Silent if the catalog cannot be read. */
export async function tellNoStock(ctx: CommandContext, body: JsonObject): Promise<void> {
  if (!ctx.dryRun) return;
  const named = stringsOf(memberAt(body, 'dataCenterIds'));
  const stock = await unlessFailed(ctx, async () => {
    // The failure of the dry run says it better.
    if ((await podRefusals(ctx, body)).length > 0) return undefined;
    const place = (await placeOfVolume(ctx, body, named))?.dataCenter;
    return await readStock(ctx, body, place === undefined ? named : [place]);
  });
  if (stock?.here.length === 0)
    await ctx.tell(`The catalog has ${noStockSentence(stock)} now: a create would find no room.`);
}

/** Checks only the pod's data center: its own machine may be full while others are free. */
export async function noStockToStart(ctx: CommandContext, pods: readonly Json[]): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const pod of ctx.dryRun ? pods : []) {
    const place = stringAt(pod, 'dataCenterId');
    const stock = await unlessFailed(ctx, () => readStock(ctx, pod, place === undefined ? [] : [place]));
    if (stock?.here.length === 0)
      sentences.push(`The catalog has ${noStockSentence(stock)} now: a start of ${labelOf(pod)} would find no room.`);
  }
  return sentences;
}

/** Fails as the catalog does. */
async function readStock(ctx: CommandContext, pod: Json, places: readonly string[]): Promise<StockFinding | undefined> {
  const wanted = wantedByPod(pod);
  if (wanted === undefined) return undefined;
  const catalog = (await ctx.api.send(wanted.request)).value ?? null;
  return findStock(wanted, catalog, places.length === 0 ? undefined : places);
}
