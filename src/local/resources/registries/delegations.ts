import { DAY_MS } from '../../../core/durations.ts';
import type { Json } from '../../../core/json.ts';
import { noContent, operation, reply, type Operation } from '../../http/call/operation.ts';
import { badRequest } from '../../contract/problem.ts';
import { SEED_OFFSET_MS } from '../../model/seed-offset.ts';
import { createRecordTable } from '../../state/record-table.ts';
import { nextId } from '../../state/state.ts';
import { bodyOf } from '../../http/requests/validate.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

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

/** The only user of the local service. */
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
  operation(
    'listDelegations',
    reply(200, (state) => ({ delegations: delegations.all(state).map(documentOf) })),
  ),
  operation(
    'createDelegation',
    reply(201, (state, call, now) => {
      const { resource, name = null } = bodyOf(call) as { resource: string; name?: string | null };
      const [, region, account, repository, tag = 'latest'] = RESOURCE.exec(resource) ?? [];
      if (region === undefined || account === undefined || repository === undefined)
        throw badRequest('resource is not the ARN of a registry repository');
      const id = nextId(state, 'dlg');
      return documentOf(delegations.put(state, { id, name, account, region, repository, tag, createdAt: now }));
    }),
  ),
  operation(
    'revokeDelegation',
    noContent((state, { params }) => {
      delegations.remove(state, params['id']);
    }),
  ),
];
