import { itemsAt, type Json, stringAt, stringOf } from '../../core/json.ts';

/** Includes pods of clusters. */
export const usedVolumeIds = (pods: readonly Json[], endpoints: readonly Json[]): ReadonlySet<string> =>
  new Set([
    ...pods.flatMap((pod) => itemsAt(pod, 'mounts.network').map((mount) => stringAt(mount, 'volumeId') ?? '')),
    ...endpoints.flatMap((endpoint) => itemsAt(endpoint, 'networkVolumes').map((id) => stringOf(id) ?? '')),
  ]);
