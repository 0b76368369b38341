import { usage } from '../../../core/failure.ts';
import { isObject, memberAt, objectOf, type Json, type JsonObject } from '../../../core/json.ts';

/** Where a mount is in the container unless the user names a path (specification 2.4). */
const DEFAULT_PATH = '/workspace';

/** `VOLUME` or `VOLUME:/PATH` as `mounts.network`. Without a path, a mount of the body keeps its own. Fails with usage (2). */
export function networkMount(given: string, before: Json | undefined): Json {
  const at = given.indexOf(':/');
  const volumeId = at < 0 ? given : given.slice(0, at);
  if (volumeId === '') throw usage('--network-volume is empty');
  if (/,[^/]*(:\/|$)/.test(given))
    throw usage(`--network-volume: a pod mounts at most one network volume, not ${JSON.stringify(given)}`, 'Keep one.');
  const path = at < 0 ? (memberAt(before, '0.path') ?? DEFAULT_PATH) : given.slice(at + 1);
  return [{ volumeId, path }];
}

/** A new pod's `mounts.persistent` of a size in GB. */
export const newPersistentMount = (size: number, before: Json | undefined): Json => ({
  path: DEFAULT_PATH,
  ...objectOf(before),
  size,
});

/** The `mounts.persistent` of the body with another size in GB. */
export const resizedMount = (size: number, before: Json | undefined): Json => ({ ...objectOf(before), size });

/** The mounts of the body with another path. Fails with usage (2) where the body has no mount. */
export function movedMount(path: string, before: Json | undefined): Json {
  const mounts = withPath(objectOf(before) ?? {}, path);
  if (mounts === undefined)
    throw usage('--mount-path needs something to mount', 'Name it with --network-volume or --persistent-size.');
  return mounts;
}

/** Mounts with another path; undefined where there is no mount. */
export function withPath(mounts: JsonObject, path: string): JsonObject | undefined {
  const network = memberAt(mounts, 'network.0');
  if (isObject(network)) return { ...mounts, network: [{ ...network, path }] };
  const persistent = objectOf(mounts['persistent']);
  return persistent === undefined ? undefined : { ...mounts, persistent: { ...persistent, path } };
}
