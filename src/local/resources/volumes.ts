import type { Json } from '../../core/json.ts';
import { dataCenterById } from '../model/catalog/hardware.ts';
import { operation, unpublished } from '../contract/operation.ts';
import type { Operation } from '../frame/operation.ts';
import { badRequest, notFound } from '../contract/problem.ts';
import { without } from '../state/records.ts';
import { nextId, type State } from '../state/state.ts';
import { bodyOf } from '../frame/validate.ts';
import type { VolumeRecord } from '../model/volumes.ts';

type NewVolume = Pick<VolumeRecord, 'name' | 'size' | 'dataCenter'> & { readonly type?: VolumeRecord['type'] };

const documentOf = ({ createdAt: _createdAt, ...shown }: VolumeRecord): Json => shown;

function find(state: State, id: string | undefined): VolumeRecord {
  const volume = state.volumes[id ?? ''];
  if (volume === undefined) throw notFound();
  return volume;
}

function create(state: State, now: number, { name, size, dataCenter, type = 'STANDARD' }: NewVolume): VolumeRecord {
  const place = dataCenterById(dataCenter);
  if (place === undefined) throw badRequest(`unknown data center ${dataCenter}`);
  if (!place.networkVolumeTypes.includes(type))
    throw badRequest(`data center ${dataCenter} has no network volumes of type ${type}`);
  const volume: VolumeRecord = { id: nextId(state, 'vol'), name, size, dataCenter, type, createdAt: now };
  state.volumes[volume.id] = volume;
  state.storage[volume.id] = { type, sizes: [{ at: now, size }] };
  return volume;
}

/** Network volumes: a volume grows only, and keeps its data center and tier (specification 2.4; contract rules). */
export const volumeOperations: readonly Operation[] = [
  operation('listNetworkVolumes', async (call) => ({
    status: 200,
    body: { networkVolumes: await call.transact((state) => Object.values(state.volumes).map(documentOf)) },
  })),
  operation('createNetworkVolume', async (call) => {
    const body = bodyOf(call) as NewVolume;
    const volume = await call.transact((state, now) => create(state, now, body));
    return { status: 201, body: documentOf(volume) };
  }),
  operation('getNetworkVolume', async (call) => ({
    status: 200,
    body: await call.transact((state) => documentOf(find(state, call.params['id']))),
  })),
  operation('updateNetworkVolume', async (call) => {
    const { name, size } = bodyOf(call) as { name?: string; size?: number };
    return {
      status: 200,
      body: await call.transact((state, now) => {
        const volume = find(state, call.params['id']);
        if (size !== undefined && size < volume.size)
          throw badRequest(`a network volume only grows: it has ${String(volume.size)} GB`);
        volume.name = name ?? volume.name;
        if (size !== undefined && size !== volume.size) state.storage[volume.id]?.sizes.push({ at: now, size });
        volume.size = size ?? volume.size;
        return documentOf(volume);
      }),
    };
  }),
  operation('deleteNetworkVolume', async (call) => {
    await call.transact((state, now) => {
      const { id } = find(state, call.params['id']);
      state.storage[id]?.sizes.push({ at: now, size: 0 });
      state.volumes = without(state.volumes, id);
    });
    return { status: 204 };
  }),
  // Specification 4.4: the older creation, on a host of its own. What it answers is not shown: the members it takes, and
  // the id.
  unpublished('createLegacyNetworkVolume', 'POST /v1/networkvolumes', {
    service: 'rest',
    body: 'LegacyVolumeRequest',
    run: async (call) => {
      const { name, size, dataCenterId } = bodyOf(call) as { name: string; size: number; dataCenterId: string };
      const volume = await call.transact((state, now) => create(state, now, { name, size, dataCenter: dataCenterId }));
      return { status: 201, body: { id: volume.id, name, size, dataCenterId } };
    },
  }),
];
