import { memberAt, stringOf } from '../core/json.ts';
import { defineCommand, defineGroup } from '../cli/command.ts';
import { arg } from '../cli/params.ts';
import { listCommand, type Resource } from '../cli/resource/read.ts';
import { commandLine } from '../cli/words.ts';
import { age, text } from '../output/cells.ts';
import type { View } from '../output/view.ts';

const delegationView: View = {
  noun: ['delegation', 'delegations'],
  id: (row) => stringOf(memberAt(row, 'id')) ?? '',
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    { header: 'REPOSITORY', show: text('repository') },
    { header: 'TAG', show: text('tag') },
    { header: 'AGE', show: age('createdAt'), right: true },
    { header: 'REGION', show: text('awsRegion'), wide: true },
  ],
};

const DELEGATIONS: Resource = {
  noun: 'delegation',
  path: ['v2', 'registries', 'delegations'],
  member: 'delegations',
  view: delegationView,
};

/** DELETE /v2/registries/delegations/ID (specification 4.2). */
const revoke = defineCommand({
  summary: 'revoke a delegation; images behind it can no longer be pulled',
  args: { id: arg.text('delegation id', { metavar: 'DELEGATION' }) },
  writes: true,
  confirm: (_, { id }) => Promise.resolve(`This revokes delegation ${id}. Images behind it can no longer be pulled.`),
  run: async (ctx, { id }) => {
    const path = [...DELEGATIONS.path, id];
    const answer = await ctx.api.send({
      service: 'base',
      method: 'DELETE',
      path,
      id,
      findOut: commandLine('registries', 'delegations', 'list'),
    });
    return { kind: 'nothing', notes: [answer.note ?? `Delegation ${id} is revoked.`] };
  },
});

export const registries = defineGroup('credentials and delegations for private images', {
  delegations: defineGroup('delegations: access to a container registry without a password', {
    list: listCommand(DELEGATIONS, { summary: 'list delegations' }),
    revoke,
  }),
});
