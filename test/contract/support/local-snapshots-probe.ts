// What the local service needs for the noun of CONTRIBUTING.md; copied beside the sources by contributing.test.ts.
import { notFound } from '../../../src/local/contract/problem.ts';
import { reply, unpublished, type Operation } from '../../../src/local/http/operation.ts';
import { volumes } from '../../../src/local/model/records.ts';
import { createRecordTable, nextId } from '../../../src/local/state/state.ts';

type SnapshotRecord = Readonly<Record<'id' | 'name' | 'volumeId', string>>;

const TEXT = { type: 'string', minLength: 1 };

const records = createRecordTable<SnapshotRecord>('snapshots', () => [
  { id: 'snap-datasets', name: 'datasets, first version', volumeId: 'vol-datasets' },
]);

export const snapshotOperations: readonly Operation[] = [
  unpublished('listSnapshots', 'GET /v2/snapshots', {
    run: reply(200, (state) => ({ snapshots: records.all(state) })),
  }),
  unpublished('createSnapshot', 'POST /v2/snapshots', {
    body: {
      type: 'object',
      required: ['name', 'volumeId'],
      properties: { name: TEXT, volumeId: TEXT },
      additionalProperties: false,
    },
    run: reply(201, (state, call) => {
      const body = call.body as Pick<SnapshotRecord, 'name' | 'volumeId'>;
      if (volumes.get(state, body.volumeId) === undefined) throw notFound(`volume ${body.volumeId} not found`);
      return records.put(state, { id: nextId(state, 'snap'), ...body });
    }),
  }),
  unpublished('getSnapshot', 'GET /v2/snapshots/{id}', {
    run: reply(200, (state, { params }) => records.find(state, params['id'])),
  }),
  unpublished('deleteSnapshot', 'DELETE /v2/snapshots/{id}', {
    run: reply(204, (state, { params }) => {
      records.remove(state, params['id']);
      return undefined;
    }),
  }),
];
