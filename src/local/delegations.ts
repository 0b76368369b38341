import type { Json } from '../core/json.ts';
import { operation } from './contract/operation.ts';
import type { Operation } from './operation.ts';
import { badRequest, notFound } from './problem.ts';
import { nextId, without } from './state.ts';
import { bodyOf } from './validate.ts';

/** A delegated registry credential: which account's repository may be pulled. */
export interface DelegationRecord {
  id: string;
  name: string | null;
  account: string;
  region: string;
  repository: string;
  tag: string;
  createdAt: number;
}

/** The user that everything of the local service belongs to. */
const USER = 'user-local';

/** `arn:PARTITION:SERVICE:REGION:ACCOUNT:repository/NAME[:TAG]` */
const RESOURCE = /^arn:[a-z0-9-]+:[a-z0-9-]+:([a-z0-9-]+):(\d{12}):repository\/([^:\s]+)(?::([^:\s]+))?$/;

const documentOf = ({ id, name, account, region, repository, tag, createdAt }: DelegationRecord): Json => ({
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
export const delegationOperations: readonly Operation[] = [
  operation('listDelegations', async (call) => ({
    status: 200,
    body: { delegations: await call.transact((state) => Object.values(state.delegations).map(documentOf)) },
  })),
  operation('createDelegation', async (call) => {
    const { resource, name = null } = bodyOf(call) as { resource: string; name?: string | null };
    const [, region, account, repository, tag = 'latest'] = RESOURCE.exec(resource) ?? [];
    if (region === undefined || account === undefined || repository === undefined)
      throw badRequest('resource is not the ARN of a registry repository');
    return {
      status: 201,
      body: await call.transact((state, now) => {
        const id = nextId(state, 'dlg');
        const delegation: DelegationRecord = { id, name, account, region, repository, tag, createdAt: now };
        state.delegations[id] = delegation;
        return documentOf(delegation);
      }),
    };
  }),
  operation('revokeDelegation', async (call) => {
    await call.transact((state) => {
      const id = call.params['id'] ?? '';
      if (!Object.hasOwn(state.delegations, id)) throw notFound();
      state.delegations = without(state.delegations, id);
    });
    return { status: 204 };
  }),
];
