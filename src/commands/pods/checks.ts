import { usage } from '../../core/failure.ts';
import { arrayOf, memberAt, numberOf, objectOf, stringOf, type Json, type JsonObject } from '../../core/json.ts';

/**
 * What the contract is firm about, refused before anything is sent: usage (2), naming the flag and the rule. A value of
 * another kind than expected, and everything else, is the service's to refuse.
 */
export function checkCreate(body: JsonObject): void {
  checkContainer(body);
  checkHardware(body);
  checkMounts(body, body['cpu'] !== undefined);
}

/** The same for a change. `pod` is the pod as it is; undefined where it cannot be looked at (specification 2.3, PATCH). */
export async function checkUpdate(body: JsonObject, pod: (() => Promise<Json>) | undefined): Promise<void> {
  checkContainer(body);
  const mounts = objectOf(body['mounts']);
  const network = arrayOf(mounts?.['network']);
  if (network?.length === 0) throw usage('--set mounts.network: a mount cannot be cleared', 'Leave the mounts out.');
  checkMounts(body, false);
  if (mounts === undefined || pod === undefined) return;
  if (mounts['persistent'] === undefined && network === undefined) return;
  const before = objectOf(memberAt(await pod(), 'mounts'));
  if (before !== undefined) checkChange(mounts, before);
}

/** Specification 8.3. */
function checkContainer(body: JsonObject): void {
  atLeast(body, 'disk', '--disk', 1, ' GB');
}

/** Specification 2.2 and 8.3; contract rules, Pods: exactly one of gpu and cpu. */
function checkHardware(body: JsonObject): void {
  const { gpu, cpu } = body;
  if (gpu !== undefined && cpu !== undefined)
    throw usage('--gpu and --cpu exclude each other: a pod has exactly one of them', 'Keep one of them.');
  if (gpu === undefined && cpu === undefined) throw usage('missing --gpu or --cpu: a pod has exactly one of them');
  if (gpu === undefined) {
    if (stringOf(memberAt(cpu, 'id')) === undefined) throw usage('--vcpu needs --cpu', 'See berth catalog cpus.');
    checkVcpu(memberAt(cpu, 'vcpuCount'));
    return;
  }
  if (stringOf(memberAt(gpu, 'id')) === undefined)
    throw usage('--gpu-count, --cuda and --min-cuda need --gpu', 'See berth catalog gpus.');
  atLeast(body, 'gpu.count', '--gpu-count', 1);
  if (memberAt(gpu, 'minCudaVersion') !== undefined && (arrayOf(memberAt(gpu, 'allowedCudaVersions')) ?? []).length > 0)
    throw usage('--cuda and --min-cuda exclude each other', 'Keep one of them.');
}

function checkVcpu(value: Json | undefined): void {
  if (value === undefined) throw usage('--cpu needs --vcpu: how many vCPUs', 'A power of two, at least 2.');
  const count = numberOf(value);
  if (count !== undefined && !(count >= 2 && Number.isInteger(Math.log2(count))))
    throw usage(`--vcpu is a power of two, at least 2; ${String(count)} is not`);
}

/** Specification 2.3: at most one mount, whole. */
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
    atLeast(body, 'mounts.persistent.size', '--persistent-size', 10, ' GB');
  }
  if (network === undefined) return;
  if (network.length > 1) throw usage('--network-volume: a pod mounts at most one network volume');
  for (const mount of network)
    if (memberAt(mount, 'volumeId') === undefined || memberAt(mount, 'path') === undefined)
      throw usage('a network mount needs both a volume and a path', '--network-volume VOLUME:/workspace');
}

/** Specification 2.3: kind and volume of a mount are fixed at creation. */
function checkChange(mounts: JsonObject, before: JsonObject): void {
  const volume = stringOf(memberAt(before, 'network.0.volumeId'));
  const hint = 'Create another pod to mount something else.';
  if (mounts['persistent'] !== undefined && objectOf(before['persistent']) === undefined)
    throw usage(`--persistent-size: this pod has ${kindOf(before)}, and the kind is fixed at creation`, hint);
  if (mounts['network'] === undefined) return;
  if (volume === undefined)
    throw usage(`mounts.network: this pod has ${kindOf(before)}, and the kind is fixed at creation`, hint);
  const wanted = stringOf(memberAt(mounts, 'network.0.volumeId'));
  if (wanted !== undefined && wanted !== volume)
    throw usage(`mounts.network: the volume of a mount is fixed at creation; this pod has ${volume}`, hint);
}

function kindOf(mounts: JsonObject): string {
  if (objectOf(mounts['persistent']) !== undefined) return 'a persistent mount';
  return (arrayOf(mounts['network']) ?? []).length > 0 ? 'a network mount' : 'no mount';
}

function atLeast(body: JsonObject, path: string, flag: string, least: number, unit = ''): void {
  const value = numberOf(memberAt(body, path));
  if (value !== undefined && !(value >= least && Number.isInteger(value)))
    throw usage(`${flag} is a whole number of at least ${String(least)}${unit}; ${String(value)} is not`);
}
