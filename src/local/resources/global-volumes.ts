import type { Json } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { noContent, operation, type Operation, reply } from '../http/operation.ts';
import { pageOf } from '../http/pages.ts';
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
export const globalVolumeOperations: readonly Operation[] = [
  operation(
    'listGlobalVolumes',
    reply(200, (state, call) => {
      const { rows, pagination } = pageOf(state, call, globalVolumes.all(state));
      return { globalVolumes: rows.map(documentOf), pagination };
    }),
  ),
  operation(
    'createGlobalVolume',
    reply(201, (state, call, now) => {
      const { name } = bodyOf(call) as { name: string };
      return documentOf(globalVolumes.put(state, { id: nextId(state, 'gsb'), name: name.trim(), createdAt: now }));
    }),
  ),
  operation(
    'getGlobalVolume',
    reply(200, (state, { params }) => documentOf(globalVolumes.find(state, params['id']))),
  ),
  operation(
    'deleteGlobalVolume',
    noContent((state, { params }) => {
      globalVolumes.remove(state, params['id']);
    }),
  ),
];
