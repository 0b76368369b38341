import type { Json } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { badRequest } from '../contract/problem.ts';
import { type Call, found, type Operation, reply, steps, unpublished } from '../http/operation.ts';
import { listed } from '../http/pages.ts';
import { dataCenterById } from '../model/hardware.ts';
import { storage, type VolumeRecord, volumes } from '../model/records.ts';
import { createRecordTable, nextId, type State } from '../state/state.ts';

type NewVolume = Pick<VolumeRecord, 'name' | 'size' | 'dataCenter'> & { readonly type?: VolumeRecord['type'] };

const documentOf = ({ createdAt: _createdAt, ...shown }: VolumeRecord): Json => shown;

function create(state: State, now: EpochMs, { name, size, dataCenter, type = 'STANDARD' }: NewVolume): VolumeRecord {
  const location = dataCenterById(dataCenter);
  if (location === undefined) throw badRequest(`unknown data center ${dataCenter}`);
  if (!location.networkVolumeTypes.includes(type))
    throw badRequest(`data center ${dataCenter} has no network volumes of type ${type}`);
  const volume: VolumeRecord = { id: nextId(state, 'vol'), name, size, dataCenter, type, createdAt: now };
  storage.of(state)[volume.id] = { type, sizes: [{ at: now, size }] };
  return volumes.put(state, volume);
}

const find = (state: State, call: Call, now: EpochMs): VolumeRecord =>
  found(volumes.get(state, call.params['id'] ?? ''), call, now);

/** Network volumes. A volume cannot be made smaller, and keeps its data center and type (specification 2.4; contract rules). */
export const volumeOperations: readonly Operation[] = [
  ...steps({
    listNetworkVolumes: (state, ...call) => listed('networkVolumes', volumes.all(state), documentOf, state, ...call),
    createNetworkVolume: (state, call, now) => documentOf(create(state, now, call.body as NewVolume)),
    getNetworkVolume: (state, call, now) => documentOf(find(state, call, now)),
    updateNetworkVolume: (state, call, now) => {
      const { name, size } = call.body as { name?: string; size?: number };
      const volume = find(state, call, now);
      if (size !== undefined && size < volume.size)
        throw badRequest(`a network volume only grows: it has ${String(volume.size)} GB`);
      volume.name = name ?? volume.name;
      if (size !== undefined && size !== volume.size) storage.of(state)[volume.id]?.sizes.push({ at: now, size });
      volume.size = size ?? volume.size;
      return documentOf(volume);
    },
    deleteNetworkVolume: (state, call, now) => {
      const { id } = find(state, call, now);
      storage.of(state)[id]?.sizes.push({ at: now, size: 0 });
      volumes.remove(state, id);
    },
  }),
  // Specification 4.4: the older API on its own host. Its answer is not specified: the request and an id.
  unpublished('createLegacyNetworkVolume', 'POST /v1/networkvolumes', {
    service: 'rest',
    body: 'LegacyVolumeRequest',
    run: reply(201, (state, call, now) => {
      const { name, size, dataCenterId } = call.body as { name: string; size: number; dataCenterId: string };
      const { id } = create(state, now, { name, size, dataCenter: dataCenterId });
      return { id, name, size, dataCenterId };
    }),
  }),
];

type GlobalVolumeRecord = Readonly<Record<'id' | 'name', string>> & { readonly createdAt: EpochMs };

export const globalVolumes = createRecordTable<GlobalVolumeRecord>('globalVolumes');

const globalDocumentOf = ({ id, name, createdAt }: GlobalVolumeRecord): Json => ({
  id,
  name,
  createdAt: new Date(createdAt).toISOString(),
  createdByUserId: 'user-local',
});

/** Global volumes (additions of November, 16): no size, no data center, no update. */
export const globalVolumeOperations: readonly Operation[] = steps({
  listGlobalVolumes: (state, ...call) =>
    listed('globalVolumes', globalVolumes.all(state), globalDocumentOf, state, ...call),
  createGlobalVolume: (state, call, now) => {
    const { name } = call.body as { name: string };
    return globalDocumentOf(globalVolumes.put(state, { id: nextId(state, 'gsb'), name: name.trim(), createdAt: now }));
  },
  getGlobalVolume: (state, { params }) => globalDocumentOf(globalVolumes.find(state, params['id'])),
  deleteGlobalVolume: (state, { params }) => {
    globalVolumes.remove(state, params['id']);
  },
});
