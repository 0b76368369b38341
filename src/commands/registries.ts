import { NAME_FLAG } from '../cli/container.ts';
import { REGISTRIES as COLLECTION } from '../cli/resource/collections.ts';
import { defineTable, type Fields } from '../cli/resource/fields.ts';
import { create, remove } from '../cli/resource/noun-writes.ts';
import { get, list, noun } from '../cli/resource/noun.ts';
import { resource } from '../cli/resource/targets.ts';
import { createHidden, type Secret } from './secrets.ts';

/** Contract, Registry and CreateRegistryRequest. */
const REGISTRY_FIELDS = {
  id: { path: 'id' },
  name: { path: 'name', create: NAME_FLAG },
  username: {
    path: 'username',
    writeOnly: true,
    create: {
      text: 'user name at the registry',
      metavar: 'USER',
      ask: { kind: 'text', question: 'User name', answer: 'a user name' },
    },
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
    create: {
      text: 'the ARN of the repository',
      metavar: 'ARN',
      ask: { kind: 'text', question: 'ARN of the repository', answer: 'an ARN' },
    },
  },
  id: { path: 'id' },
  name: { path: 'name', create: { text: 'its name', metavar: 'NAME' } },
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

const REGISTRIES = resource(COLLECTION, REGISTRY_TABLE);
const DELEGATIONS = resource(
  {
    noun: 'delegation',
    path: ['v2', 'registries', 'delegations'],
    member: 'delegations',
    schema: 'EcrDelegation',
    listed: 'registries delegations list',
  },
  DELEGATION_TABLE,
);

export const registries = noun('credentials and delegations for private images', {
  list: list(REGISTRIES, {
    summary: 'list registry credentials',
    examples: [['berth registries list', 'ids and names; never a password']],
  }),
  get: get(REGISTRIES, {
    summary: 'show a registry credential; never its password',
    examples: [['berth registries get reg-team', 'by its id']],
  }),
  create: createHidden(REGISTRIES, PASSWORD, {
    summary: 'store a credential for private images',
    details: 'The password comes from stdin, a file or a hidden prompt. The service never gives it back.',
    needed: ['name', 'username'],
    examples: [['berth registries create hub --username me --password-stdin < token', 'for scripts']],
  }),
  delete: remove(REGISTRIES, {
    summary: 'delete registry credentials',
    details: 'A credential that a pod uses is refused; a template that uses it loses it.',
    loses: 'access to private images',
    examples: [['berth registries delete hub --yes', 'without a question, for scripts']],
  }),
  delegations: noun('delegations: access to a container registry without a password', {
    list: list(DELEGATIONS, {
      examples: [['berth registries delegations list', 'what the service may pull, and from where']],
    }),
    create: create(DELEGATIONS, {
      summary: 'let the service pull images of a repository',
      needed: ['resource'],
      examples: [
        [
          'berth registries delegations create web --resource arn:cloud:registry:eu-north-1:123456789012:repository/team/web',
          'all images of one repository',
        ],
      ],
    }),
    revoke: remove(DELEGATIONS, {
      summary: 'revoke delegations; images behind them can no longer be pulled',
      loses: 'access to its images',
      done: 'revoked',
      examples: [['berth registries delegations revoke dlg-images --yes', 'without a question, for scripts']],
    }),
  }),
});
