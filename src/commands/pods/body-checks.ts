import { usage } from '../../core/failure.ts';
import {
  arrayOf,
  itemsAt,
  type Json,
  type JsonObject,
  memberAt,
  objectAt,
  objectOf,
  stringAt,
} from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';

/** Usage (2) for contradictory members; single fields are checked in the table, the rest by the service. */
export function checkCreate(body: JsonObject): void {
  checkHardware(body);
  checkMounts(body, body['cpu'] !== undefined);
}

/** `pod` reads the current pod; undefined in a dry run (specification 2.3, PATCH). */
export async function checkUpdate(body: JsonObject, pod: (() => Promise<Json>) | undefined): Promise<void> {
  const mounts = objectOf(body['mounts']);
  const network = arrayOf(mounts?.['network']);
  if (network?.length === 0) throw usage('--set mounts.network: a mount cannot be cleared', 'Leave the mounts out.');
  checkMounts(body, false);
  if (mounts === undefined || pod === undefined) return;
  if (mounts['persistent'] === undefined && network === undefined) return;
  const before = objectAt(await pod(), 'mounts');
  if (before !== undefined) checkChange(mounts, before);
}

/** Exactly one of GPU and CPU (specification 2.2 and 8.3; contract rules, Pods). */
function checkHardware(body: JsonObject): void {
  const { gpu, cpu } = body;
  if (gpu !== undefined && cpu !== undefined)
    throw usage('--gpu and --cpu exclude each other: a pod has exactly one of them', 'Keep one of them.');
  if (gpu === undefined && cpu === undefined) throw usage('missing --gpu or --cpu: a pod has exactly one of them');
  if (gpu === undefined) {
    if (stringAt(cpu, 'id') === undefined) throw usage('--vcpu needs --cpu', sentence`See ${berth`catalog cpus`}.`);
    if (memberAt(cpu, 'vcpuCount') === undefined)
      throw usage('--cpu needs --vcpu: how many vCPUs', 'A power of two, at least 2.');
    return;
  }
  if (stringAt(gpu, 'id') === undefined)
    throw usage('--gpu-count, --cuda and --min-cuda need --gpu', sentence`See ${berth`catalog gpus`}.`);
  if (memberAt(gpu, 'minCudaVersion') !== undefined && itemsAt(gpu, 'allowedCudaVersions').length > 0)
    throw usage('--cuda and --min-cuda exclude each other', 'Keep one of them.');
}

/** At most one mount, with all of its members (specification 2.3). */
function checkMounts(body: JsonObject, isCpu: boolean): void {
  const mounts = objectOf(body['mounts']);
  const persistent = mounts?.['persistent'];
  const network = arrayOf(mounts?.['network']);
  if (persistent !== undefined && network !== undefined)
    throw usage('--network-volume and --persistent-size exclude each other: a pod has at most one mount');
  if (persistent !== undefined) {
    if (isCpu)
      throw usage('--persistent-size: a CPU pod takes no persistent mount', 'Mount a volume with --network-volume.');
    if (memberAt(persistent, 'size') === undefined || memberAt(persistent, 'path') === undefined)
      throw usage('a persistent mount needs both a size and a path', '--persistent-size 20 --mount-path /workspace');
  }
  if (network === undefined) return;
  if (network.length > 0 && body['cloud'] === 'COMMUNITY')
    throw usage('--network-volume: network volumes are on the SECURE cloud only', 'Leave out --cloud COMMUNITY.');
  if (network.length > 1) throw usage('--network-volume: a pod mounts at most one network volume');
  for (const mount of network)
    if (memberAt(mount, 'volumeId') === undefined || memberAt(mount, 'path') === undefined)
      throw usage('a network mount needs both a volume and a path', '--network-volume VOLUME:/workspace');
}

/** The kind of a mount and its volume are fixed at creation (specification 2.3). */
function checkChange(mounts: JsonObject, before: JsonObject): void {
  const volume = stringAt(before, 'network.0.volumeId');
  const hint = 'Create another pod to mount something else.';
  if (mounts['persistent'] !== undefined && objectOf(before['persistent']) === undefined)
    throw usage(`--persistent-size: this pod has ${kindOf(before)}, and the kind is fixed at creation`, hint);
  if (mounts['network'] === undefined) return;
  if (volume === undefined)
    throw usage(`mounts.network: this pod has ${kindOf(before)}, and the kind is fixed at creation`, hint);
  const wanted = stringAt(mounts, 'network.0.volumeId');
  if (wanted !== undefined && wanted !== volume)
    throw usage(`mounts.network: the volume of a mount is fixed at creation; this pod has ${volume}`, hint);
}

function kindOf(mounts: JsonObject): string {
  if (objectOf(mounts['persistent']) !== undefined) return 'a persistent mount';
  return (arrayOf(mounts['network']) ?? []).length > 0 ? 'a network mount' : 'no mount';
}
