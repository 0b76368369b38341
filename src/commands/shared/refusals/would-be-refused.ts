/**
 * Why the service would refuse a body, by what can be read: the catalog and the lists of the account. For dry runs, which send
 * nothing: of a body that is sent the service is the judge. Words that no list has are told by `withKnownWords`.
 */
import { itemsAt, type Json, memberAt, numberAt, stringAt, stringsOf, type JsonObject } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { listRows, lookupRows } from '../../../cli/resource/identity/requests.ts';
import { whyNever, type Wanted } from '../../../create/candidates.ts';
import { idOf } from '../../../output/view.ts';
import { CPUS, DATA_CENTERS, GPUS, TEMPLATES, VOLUMES } from '../collections.ts';
import { catalogRow } from '../pick/pickers.ts';

type Reasons = Promise<readonly string[]>;

/** Why a new pod would be refused. Fails as its reads do. */
export async function podRefusals(ctx: CommandContext, body: JsonObject): Reasons {
  return [
    ...(body['gpu'] === undefined ? await cpuOfPod(ctx, body) : await gpuOfPod(ctx, body)),
    ...(body['globalNetworking'] === true ? await globalNetwork(ctx, body) : []),
    ...(await templateOfPod(ctx, body)),
  ];
}

/** Why a new cluster would be refused. Fails as its reads do. */
export async function clusterRefusals(ctx: CommandContext, body: JsonObject): Reasons {
  return await podRefusals(ctx, podOfCluster(body));
}

/** The body of one pod of a cluster. */
export const podOfCluster = (body: JsonObject): JsonObject => ({
  gpu: { id: stringAt(body, 'compute.gpuTypeId') ?? '', count: numberAt(body, 'compute.gpuCountPerPod') ?? 1 },
  ...Object.fromEntries(
    ['dataCenterIds', 'templateId'].flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  ),
});

/** Why a new endpoint, or a change of one, would be refused. Fails as its reads do. */
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

/** Why a new volume would be refused. Fails as its reads do. */
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

/** Whether a GPU type has one of the CUDA versions that a body asks for; true where the catalog does not say. */
async function hasCuda(ctx: CommandContext, id: string, body: JsonObject): Promise<boolean> {
  const allowed = stringsOf(memberAt(body, 'gpu.allowedCudaVersions'));
  const least = stringAt(body, 'gpu.minCudaVersion');
  if (allowed.length === 0 && least === undefined) return true;
  // Only the catalog with its availability has the versions.
  const { values } = await listRows(ctx, GPUS, { include: 'AVAILABILITY', product: 'POD' });
  const gpu = values.find((row) => idOf(row) === id);
  const known = itemsAt(gpu, 'cudaVersions').flatMap((each) => stringAt(each, 'version') ?? []);
  if (known.length === 0) return true;
  if (allowed.length > 0) return known.some((version) => allowed.includes(version));
  return least === undefined || known.some((version) => isAtLeast(version, least));
}

/** Compares `12.10` with `12.8`. */
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

/** A pod with a global network is placed only where there is one (contract, DataCenter.globalNetwork). */
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
