import type { Json } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { notFound, unprocessable } from '../contract/problem.ts';
import { type Call, type Operation, steps } from '../http/operation.ts';
import { listed } from '../http/pages.ts';
import { endpoints } from '../model/endpoints.ts';
import { pods } from '../model/pods.ts';
import { clusters, volumes } from '../model/records.ts';
import { createRecordTable, nextId, type State } from '../state/state.ts';

type TagRecord = Readonly<Record<'id' | 'key' | 'value', string> & Record<'createdAt' | 'updatedAt', EpochMs>>;

type TagBody = Partial<Pick<TagRecord, 'key' | 'value'>> & {
  readonly resources?: readonly Readonly<Record<'type' | 'id', string>>[];
};

const tags = createRecordTable<TagRecord>('tags');

const RESOURCES: Readonly<Record<string, { get(state: State, id: string): unknown }>> = {
  POD: pods,
  CLUSTER: clusters,
  SERVERLESS_ENDPOINT: endpoints,
  NETWORK_VOLUME: volumes,
};

const documentOf = (tag: TagRecord): Json => ({
  ...tag,
  createdAt: new Date(tag.createdAt).toISOString(),
  updatedAt: new Date(tag.updatedAt).toISOString(),
});

/** Throws the 422 Problem for a key with the reserved prefix, in any case. */
function keyIn(key: string, { settings }: Call): string {
  if (key.trim().toLowerCase().startsWith(`${settings.secretPrefix}:`.toLowerCase()))
    throw unprocessable([`/key: ${settings.secretPrefix}: is reserved`]);
  return key.trim();
}

/** No answer says what a tag is attached to, so that is not kept. Throws the 404 and 422 Problems. */
function checkResource(state: State, type: string, id: string): void {
  const table = Object.hasOwn(RESOURCES, type) ? RESOURCES[type] : undefined;
  if (table === undefined) throw unprocessable([`resourceType: must be one of ${Object.keys(RESOURCES).join(', ')}`]);
  if (table.get(state, id) === undefined) throw notFound();
}

function checkAttachment(state: State, { params }: Call): undefined {
  tags.find(state, params['id']);
  checkResource(state, params['resourceType'] ?? '', params['resourceId'] ?? '');
}

/** Tags (additions of November, 17): one object that many resources share. */
export const tagOperations: readonly Operation[] = steps({
  listTags: (state, ...call) => listed('tags', tags.all(state), documentOf, state, ...call),
  createTag: (state, call, now) => {
    const { key = '', value = '', resources = [] } = call.body as TagBody;
    const own = keyIn(key, call);
    for (const { type, id } of resources) checkResource(state, type, id);
    return documentOf(tags.put(state, { id: nextId(state, 'tag'), key: own, value, createdAt: now, updatedAt: now }));
  },
  getTag: (state, { params }) => documentOf(tags.find(state, params['id'])),
  updateTag: (state, call, now) => {
    const tag = tags.find(state, call.params['id']);
    const { key = tag.key, value = tag.value } = call.body as TagBody;
    return documentOf(tags.put(state, { ...tag, key: keyIn(key, call), value, updatedAt: now }));
  },
  deleteTag: (state, { params }) => {
    tags.remove(state, params['id']);
  },
  attachTag: checkAttachment,
  removeTag: checkAttachment,
});
