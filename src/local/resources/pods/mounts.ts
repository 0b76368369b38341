import { badRequest, notFound } from '../../contract/problem.ts';
import { volumes } from '../../model/volumes.ts';
import type { State } from '../../state/state.ts';
import type { MountsRecord, PodRecord } from '../../model/pods/record.ts';

/** The mounts of a body, validated by the schema (specification 2.3). */
export interface MountsBody {
  readonly persistent?: { readonly size: number; readonly path: string };
  readonly network?: readonly { readonly volumeId: string; readonly path: string }[];
}

/** The mounts of a new pod. Throws the 400 Problem of specification 2.3 and 2.4, 404 for an unknown volume. */
export function mountsForCreate(
  state: State,
  mounts: MountsBody,
  pod: { readonly isCpu: boolean; readonly cloud: 'SECURE' | 'COMMUNITY' },
): MountsRecord {
  checkSingleKind(mounts);
  if (mounts.persistent !== undefined) {
    if (pod.isCpu) throw badRequest('a persistent mount is not allowed on a CPU pod');
    return { persistent: { ...mounts.persistent } };
  }
  const [network] = mounts.network ?? [];
  if (network === undefined) return {};
  if (volumes.get(state, network.volumeId) === undefined)
    throw notFound(`network volume ${network.volumeId} not found`);
  if (pod.cloud !== 'SECURE') throw badRequest('network volumes are available only on the SECURE cloud');
  return { network: [{ ...network }] };
}

/** The mounts of a pod after a PATCH: only paths and sizes may change. Throws the 400 Problem of specification 2.3. */
export function mountsForPatch(pod: PodRecord, mounts: MountsBody | undefined): MountsRecord {
  if (mounts === undefined) return pod.mounts;
  checkSingleKind(mounts);
  if (mounts.persistent !== undefined) return { persistent: persistentForPatch(pod, mounts.persistent) };
  if (mounts.network === undefined) return pod.mounts;
  const [network] = mounts.network;
  if (network === undefined) throw badRequest('clearing mounts is unsupported');
  const present = pod.mounts.network?.[0];
  if (present === undefined) throw badRequest('a network mount cannot be added: the mount kind is fixed at creation');
  if (present.volumeId !== network.volumeId) throw badRequest('the volume of a network mount is fixed at creation');
  return { network: [{ ...network }] };
}

function persistentForPatch(pod: PodRecord, persistent: NonNullable<MountsBody['persistent']>) {
  const present = pod.mounts.persistent;
  if (present === undefined)
    throw badRequest('a persistent mount cannot be added: the mount kind is fixed at creation');
  if (persistent.size < present.size)
    throw badRequest(`a persistent mount only grows: it has ${String(present.size)} GB`);
  return { ...persistent };
}

function checkSingleKind(mounts: MountsBody): void {
  if (mounts.persistent !== undefined && mounts.network !== undefined)
    throw badRequest('at most one of persistent and network may be mounted');
}
