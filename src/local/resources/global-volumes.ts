import type { Json } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { type Operation, steps } from '../http/operation.ts';
import { listed } from '../http/pages.ts';
import { bodyOf } from '../http/validate.ts';
import { createRecordTable, nextId } from '../state/state.ts';

interface GlobalVolumeRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: EpochMs;
}

export const globalVolumes = createRecordTable<GlobalVolumeRecord>('globalVolumes');

const documentOf = ({ id, name, createdAt }: GlobalVolumeRecord): Json => ({
  id,
  name,
  createdAt: new Date(createdAt).toISOString(),
  createdByUserId: 'user-local',
});

/** Global volumes (additions of November, 16): no size, no data center, no update. */
export const globalVolumeOperations: readonly Operation[] = steps({
  listGlobalVolumes: (state, ...call) => listed('globalVolumes', globalVolumes.all(state), documentOf, state, ...call),
  createGlobalVolume: (state, call, now) => {
    const { name } = bodyOf(call) as { name: string };
    return documentOf(globalVolumes.put(state, { id: nextId(state, 'gsb'), name: name.trim(), createdAt: now }));
  },
  getGlobalVolume: (state, { params }) => documentOf(globalVolumes.find(state, params['id'])),
  deleteGlobalVolume: (state, { params }) => {
    globalVolumes.remove(state, params['id']);
  },
});
