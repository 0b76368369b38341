import { option } from '../../cli/model/params.ts';
import { defineTable, type Fields } from '../../cli/resource/fields.ts';
import type { Secret } from '../../cli/resource/secret.ts';
import { NAME_FLAG } from '../../cli/container/container-fields.ts';

/** Contract, Registry and CreateRegistryRequest. */
const REGISTRY_FIELDS = {
  id: { path: 'id' },
  name: { path: 'name', create: NAME_FLAG },
  username: {
    path: 'username',
    writeOnly: true,
    create: option.text('user name at the registry', {
      metavar: 'USER',
      ask: { kind: 'text', question: 'User name', answer: 'a user name' },
    }),
  },
  password: { path: 'password', writeOnly: true, create: 'accepted' },
} as const satisfies Fields;

/** Never printed. */
export const PASSWORD = { member: 'password', question: 'Password or token' } as const satisfies Secret;

export const REGISTRY_TABLE = defineTable({
  noun: ['registry', 'registries'],
  fields: REGISTRY_FIELDS,
  table: ['id', 'name'],
});

/** Contract, EcrDelegation and CreateDelegationRequest. */
const DELEGATION_FIELDS = {
  resource: {
    path: 'resource',
    writeOnly: true,
    create: option.text('the ARN of the repository', {
      metavar: 'ARN',
      ask: { kind: 'text', question: 'ARN of the repository', answer: 'an ARN' },
    }),
  },
  id: { path: 'id' },
  name: { path: 'name', create: option.text('its name', { metavar: 'NAME' }) },
  delegatorUserId: { path: 'delegatorUserId', label: 'by' },
  awsUser: { path: 'awsUser', label: 'account' },
  repository: { path: 'repository' },
  tag: { path: 'tag' },
  awsRegion: { path: 'awsRegion', label: 'region' },
  dockerRegistryUri: { path: 'dockerRegistryUri', label: 'address' },
  createdAt: { path: 'createdAt', type: 'time', column: { header: 'AGE' } },
} as const satisfies Fields;

export const DELEGATION_TABLE = defineTable({
  noun: ['delegation', 'delegations'],
  fields: DELEGATION_FIELDS,
  table: ['id', 'name', 'repository', 'tag', 'createdAt'],
  wide: ['awsRegion', 'dockerRegistryUri', 'awsUser', 'delegatorUserId'],
});
