import type { Json } from '../../core/json.ts';
import { DAY_MS, type EpochMs } from '../../core/unit-types.ts';
import { badRequest } from '../contract/problem.ts';
import { type Operation, steps } from '../http/operation.ts';
import { endpoints } from '../model/endpoints.ts';
import { presentPods } from '../model/pods.ts';
import { registries, type RegistryRecord, SEED_OFFSET_MS } from '../model/records.ts';
import { templates } from '../model/container.ts';
import { createRecordTable, nextId, type State } from '../state/state.ts';

const documentOf = ({ id, name }: RegistryRecord): Json => ({ id, name });

/** Throws the 400 Problem while a pod that is not terminated uses it (contract rules, Registries). */
function remove(state: State, { id }: RegistryRecord): void {
  const pod = presentPods(state).find(({ registry }) => registry === id);
  if (pod !== undefined) throw badRequest(`pod ${pod.id} uses the registry credential`);
  for (const template of templates.all(state)) if (template.registry === id) template.registry = null;
  for (const { container } of endpoints.all(state)) if (container.registry === id) container.registry = null;
  registries.remove(state, id);
}

export const registryOperations: readonly Operation[] = steps({
  listRegistries: (state) => ({ registries: registries.all(state).map(documentOf) }),
  createRegistry: (state, call) => {
    const { name } = call.body as { name: string };
    return documentOf(registries.put(state, { id: nextId(state, 'reg'), name }));
  },
  getRegistry: (state, { params }) => documentOf(registries.find(state, params['id'])),
  deleteRegistry: (state, { params }) => {
    remove(state, registries.find(state, params['id']));
  },
});

/** A delegated registry credential: the repository of another account that may be pulled. */
interface DelegationRecord {
  id: string;
  name: string | null;
  account: string;
  region: string;
  repository: string;
  tag: string;
  createdAt: EpochMs;
}

export const delegations = createRecordTable<DelegationRecord>('delegations', (since) => [
  {
    id: 'dlg-images',
    name: 'images of the team',
    account: '123456789012',
    region: 'eu-north-1',
    repository: 'team/images',
    tag: 'latest',
    createdAt: since - SEED_OFFSET_MS - 20 * DAY_MS,
  },
]);

const USER = 'user-local';

/** `arn:PARTITION:SERVICE:REGION:ACCOUNT:repository/NAME[:TAG]` */
const RESOURCE = /^arn:[a-z0-9-]+:[a-z0-9-]+:([a-z0-9-]+):(\d{12}):repository\/([^:\s]+)(?::([^:\s]+))?$/;

const delegationDocument = ({ id, name, account, region, repository, tag, createdAt }: DelegationRecord): Json => ({
  id,
  name,
  delegatorUserId: USER,
  awsUser: account,
  repository,
  tag,
  awsRegion: region,
  createdAt: new Date(createdAt).toISOString(),
});

/** Registry delegations (specification 4.2; contract rules, The rest). */
export const delegationOperations: readonly Operation[] = steps({
  listDelegations: (state) => ({ delegations: delegations.all(state).map(delegationDocument) }),
  createDelegation: (state, call, now) => {
    const { resource, name = null } = call.body as { resource: string; name?: string | null };
    const [, region, account, repository, tag = 'latest'] = RESOURCE.exec(resource) ?? [];
    if (region === undefined || account === undefined || repository === undefined)
      throw badRequest('resource is not the ARN of a registry repository');
    const id = nextId(state, 'dlg');
    return delegationDocument(delegations.put(state, { id, name, account, region, repository, tag, createdAt: now }));
  },
  revokeDelegation: (state, { params }) => {
    delegations.remove(state, params['id']);
  },
});
