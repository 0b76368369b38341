import { memberAt, stringOf } from '../core/json.ts';
import { defineCommand, defineGroup } from '../cli/command.ts';
import { withId } from '../cli/resource/lookup.ts';
import { arg, option } from '../cli/parse/params.ts';
import { getCommand, listCommand, type Resource } from '../cli/resource/read.ts';
import { createCommand, deleteCommand } from '../cli/resource/write.ts';
import { commandLine } from '../cli/words.ts';
import { age, text } from '../output/layout/cells.ts';
import type { View } from '../output/view.ts';
import * as collections from './shared/collections.ts';

const registryView: View = {
  noun: ['registry', 'registries'],
  id: (row) => stringOf(memberAt(row, 'id')) ?? '',
  members: ['id', 'name'],
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
  ],
};

const REGISTRIES: Resource = { ...collections.REGISTRIES, view: registryView };

const create = createCommand(REGISTRIES, 'registries', {
  summary: 'store a credential for private images',
  details:
    'The password is asked for without showing it, or read from stdin with --password-stdin; it is never given on the command line. The service keeps credentials and never gives them back.',
  members: {
    name: {
      param: option.text('what to call it', { metavar: 'NAME', ask: { kind: 'text', question: 'Name' } }),
      path: 'name',
    },
    username: {
      param: option.text('user name at the registry', {
        metavar: 'USER',
        ask: { kind: 'text', question: 'User name' },
      }),
      path: 'username',
    },
  },
  needed: ['name', 'username'],
  accepts: ['name', 'username', 'password'],
  secret: { member: 'password', question: 'Password or token' },
  examples: [['berth registries create --name hub --username me --password-stdin < token', 'for scripts']],
});

const delegationView: View = {
  noun: ['delegation', 'delegations'],
  id: (row) => stringOf(memberAt(row, 'id')) ?? '',
  members: 'id name delegatorUserId awsUser repository tag awsRegion dockerRegistryUri createdAt'.split(' '),
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    { header: 'REPOSITORY', show: text('repository') },
    { header: 'TAG', show: text('tag') },
    { header: 'AGE', show: age('createdAt'), right: true },
    { header: 'REGION', show: text('awsRegion'), wide: true },
    { header: 'ADDRESS', show: text('dockerRegistryUri'), wide: true },
    { header: 'ACCOUNT', show: text('awsUser'), wide: true },
    { header: 'BY', show: text('delegatorUserId'), wide: true },
  ],
};

const DELEGATIONS: Resource = {
  noun: 'delegation',
  path: ['v2', 'registries', 'delegations'],
  member: 'delegations',
  listed: 'registries delegations list',
  view: delegationView,
};

/** DELETE /v2/registries/delegations/ID (specification 4.2). */
const revoke = defineCommand({
  summary: 'revoke a delegation; images behind it can no longer be pulled',
  args: { id: arg.text('delegation id or name', { metavar: 'DELEGATION' }) },
  writes: true,
  confirm: (_, { id }) => Promise.resolve(`This revokes delegation ${id}. Images behind it can no longer be pulled.`),
  run: async (ctx, { id }) => {
    await withId(ctx, DELEGATIONS, id, (known) =>
      ctx.api.send({
        service: 'base',
        method: 'DELETE',
        path: [...DELEGATIONS.path, known],
        id: known,
        checkCommand: commandLine('registries', 'delegations', 'list'),
      }),
    );
    return { kind: 'nothing', notes: [`Delegation ${id} is revoked.`] };
  },
});

export const registries = defineGroup('credentials and delegations for private images', {
  list: listCommand(REGISTRIES, { summary: 'list registry credentials' }),
  get: getCommand(REGISTRIES, { summary: 'show a registry credential; never its password' }),
  create,
  delete: deleteCommand(REGISTRIES, 'registries', {
    summary: 'delete registry credentials',
    details: 'A credential that a pod uses is refused; a template that uses it loses it.',
    loss: 'Templates that use it lose it.',
  }),
  delegations: defineGroup('delegations: access to a container registry without a password', {
    list: listCommand(DELEGATIONS, { summary: 'list delegations' }),
    create: createCommand(DELEGATIONS, 'registries delegations', {
      summary: 'let the service pull images of a repository',
      members: {
        resource: {
          param: option.text('the ARN of the repository', {
            metavar: 'ARN',
            ask: { kind: 'text', question: 'ARN of the repository' },
          }),
          path: 'resource',
        },
        name: { param: option.text('what to call it', { metavar: 'NAME' }), path: 'name' },
      },
      needed: ['resource'],
      accepts: ['resource', 'name'],
      prints: ['delegatorUserId', 'awsUser', 'repository', 'tag', 'awsRegion', 'dockerRegistryUri'],
    }),
    revoke,
  }),
});
