import { stringAt } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { defineCommand, defineGroup } from '../../cli/model/command.ts';
import { identify, sendTo } from '../../cli/resource/identify.ts';
import { lookupRows } from '../../cli/resource/requests.ts';
import { unlessUnread } from '../../cli/run/dry-run.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { safeText } from '../../core/safe-text.ts';
import { idOf } from '../../output/view.ts';
import { deleteCommand } from '../../cli/resource/delete.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { listCommand } from '../../cli/resource/list.ts';
import { getCommand, idArgument, resourceOf } from '../../cli/resource/read.ts';
import { outcomeResult } from '../../cli/resource/several.ts';
import { createCommand } from '../../cli/resource/write.ts';
import { OUTCOMES } from '../../cli/model/common-schemas.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import * as collections from '../../cli/resource/collections.ts';
import { usersOf } from '../../cli/resource/in-use.ts';
import { DELEGATION_TABLE, PASSWORD, REGISTRY_TABLE } from './fields.ts';

const REGISTRIES = resourceOf(collections.REGISTRIES, REGISTRY_TABLE);

const create = createCommand(REGISTRIES, 'registries', {
  summary: 'store a credential for private images',
  details:
    'The password is asked for without showing it, or read from stdin with --password-stdin or from a file with --password-file; it is never given on the command line. The service keeps credentials and never gives them back.',
  ...bodyOf(REGISTRY_TABLE, 'create'),
  needed: ['name', 'username'],
  secret: PASSWORD,
  examples: [['berth registries create --name hub --username me --password-stdin < token', 'for scripts']],
});

const DELEGATIONS = resourceOf(
  {
    noun: 'delegation',
    path: ['v2', 'registries', 'delegations'],
    member: 'delegations',
    schema: 'EcrDelegation',
    listed: 'registries delegations list',
  },
  DELEGATION_TABLE,
);

/** Specification 4.2. */
const revoke = defineCommand({
  summary: 'revoke a delegation; images behind it can no longer be pulled',
  examples: [['berth registries delegations revoke dlg-images --yes', 'without a question, for scripts']],
  args: { id: idArgument(DELEGATIONS) },
  output: OUTCOMES,
  writes: true,
  // Only the list has delegations. If it fails, a dry run still prints the request.
  prepare: async (ctx, { id }) => {
    if (!ctx.dryRun) return true;
    const mustBeListed = async (known: Id): Promise<void> => {
      const rows = await lookupRows(ctx, DELEGATIONS);
      if (rows.some((row) => idOf(row) === known)) return;
      const message = `delegation ${safeText(known)} not found`;
      throw new Failure({ code: 'not-found', exit: EXIT.notFound, message });
    };
    return (await unlessUnread(ctx, () => identify(ctx, DELEGATIONS, id, mustBeListed))) !== undefined;
  },
  confirm: async (_, { id }, isRead) =>
    isRead ? `This revokes delegation ${id}. Images behind it can no longer be pulled.` : undefined,
  run: async (ctx, { id }) => {
    const { id: known } = await sendTo(ctx, DELEGATIONS, id, (known) => ({
      service: 'base',
      method: 'DELETE',
      path: [...DELEGATIONS.path, known],
      id: known,
      checkCommand: berth`registries delegations list`,
    }));
    // A table of one row would repeat the note.
    if (isTableOutput(ctx.output)) return { kind: 'nothing', notes: [`Delegation ${id} is revoked.`] };
    return outcomeResult(ctx, 'delegation', [{ id: known }], 'revoked');
  },
});

export const registries = defineGroup('credentials and delegations for private images', {
  list: listCommand(REGISTRIES, {
    summary: 'list registry credentials',
    examples: [['berth registries list', 'ids and names; never a password']],
  }),
  get: getCommand(REGISTRIES, {
    summary: 'show a registry credential; never its password',
    examples: [['berth registries get reg-team', 'by its id']],
  }),
  create,
  delete: deleteCommand(REGISTRIES, 'registries', {
    summary: 'delete registry credentials',
    examples: [['berth registries delete hub --yes', 'without a question, for scripts']],
    details: 'A credential that a pod uses is refused; a template that uses it loses it.',
    loss: 'Templates that use it lose it.',
    refused: {
      reasons: usersOf({
        noun: 'registry',
        users: [collections.PODS],
        usedBy: (pod) => [stringAt(pod, 'registry') ?? ''],
      }),
    },
  }),
  delegations: defineGroup('delegations: access to a container registry without a password', {
    list: listCommand(DELEGATIONS, {
      summary: 'list delegations',
      examples: [['berth registries delegations list', 'what the service may pull, and from where']],
    }),
    create: createCommand(DELEGATIONS, 'registries delegations', {
      summary: 'let the service pull images of a repository',
      examples: [
        [
          'berth registries delegations create --name web --resource arn:cloud:registry:eu-north-1:123456789012:repository/team/web',
          'all images of one repository',
        ],
      ],
      ...bodyOf(DELEGATION_TABLE, 'create'),
      needed: ['resource'],
    }),
    revoke,
  }),
});
