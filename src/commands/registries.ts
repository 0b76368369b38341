import { ask, asks, requireYes } from '../cli/ask.ts';
import { NAME_FLAG } from '../cli/container/container-fields.ts';
import { defineCommand, yesOption } from '../cli/model/command.ts';
import { OUTCOMES } from '../cli/model/output-schema.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { option } from '../cli/model/params.ts';
import { REGISTRIES as COLLECTION } from '../cli/resource/collections.ts';
import { defineTable, type Fields } from '../cli/resource/fields.ts';
import { bodyArguments, bodyFlags, bodyFrom } from '../cli/resource/noun-body.ts';
import { create, post, remove, written } from '../cli/resource/noun-writes.ts';
import { get, list, noun } from '../cli/resource/noun.ts';
import { idArgument, rowSchema } from '../cli/resource/arguments.ts';
import { lookupRows } from '../cli/resource/pages.ts';
import { redactingSecret, refuseSecretOnArgv, type Secret, secretOptions, withSecret } from '../cli/resource/secret.ts';
import { each, report, resource, rowCalled } from '../cli/resource/targets.ts';
import { unlessUnread } from '../cli/run/dry-run.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import { asId } from '../core/ids.ts';
import { berth } from '../core/message.ts';
import { idOf } from '../output/view.ts';

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

const createRegistry = defineCommand({
  summary: 'store a credential for private images',
  details: 'The password comes from stdin, a file or a hidden prompt. The service never gives it back.',
  args: bodyArguments(REGISTRIES, 'create'),
  options: { ...bodyFlags(REGISTRIES, 'create'), ...secretOptions(PASSWORD) },
  needed: ['name', 'username', Object.keys(secretOptions(PASSWORD))],
  fields: REGISTRIES.view.paths,
  output: rowSchema(REGISTRIES),
  writes: true,
  examples: [['berth registries create hub --username me --password-stdin < token', 'for scripts']],
  run: async (ctx, values) => {
    refuseSecretOnArgv(PASSWORD, values);
    const plain = await bodyFrom(ctx, REGISTRIES, values, { needed: ['name', 'username'] });
    const body = await withSecret(ctx, PASSWORD, plain, values);
    const answer = await redactingSecret(PASSWORD, body, () => ctx.api.send(post(REGISTRIES, body)));
    return await written(ctx, REGISTRIES, answer, 'created');
  },
});

/** Not-found (4). */
async function listed(ctx: CommandContext, word: string): Promise<void> {
  const row = rowCalled(DELEGATIONS, await lookupRows(ctx, DELEGATIONS), word);
  if (row === undefined)
    throw new Failure({ code: 'not-found', exit: EXIT.notFound, message: `no delegation ${JSON.stringify(word)}` });
  ctx.ids.set(DELEGATIONS, word, asId(idOf(row)));
}

/** Specification 4.2. */
const revoke = defineCommand({
  summary: 'revoke a delegation; images behind it can no longer be pulled',
  examples: [['berth registries delegations revoke dlg-images --yes', 'without a question, for scripts']],
  args: { id: idArgument(DELEGATIONS) },
  options: { yes: yesOption },
  output: OUTCOMES,
  writes: true,
  destroys: true,
  run: async (ctx, { id: word }) => {
    requireYes(ctx);
    // Only the list has delegations.
    if (ctx.dryRun) await unlessUnread(ctx, () => listed(ctx, word));
    if (asks(ctx)) await ask(ctx, { line: `delegation ${word} will be revoked. Lost: access to its images.` });
    const chosen = { isSelected: false, targets: [{ word }] };
    const outcomes = await each(ctx, DELEGATIONS, chosen.targets, (id) =>
      ctx.api.send({
        service: 'base',
        method: 'DELETE',
        path: [...DELEGATIONS.path, id],
        id,
        checkCommand: berth`registries delegations list`,
      }),
    );
    return report(ctx, DELEGATIONS, chosen, outcomes, 'revoked');
  },
});

export const registries = noun('credentials and delegations for private images', {
  list: list(REGISTRIES, {
    summary: 'list registry credentials',
    examples: [['berth registries list', 'ids and names; never a password']],
  }),
  get: get(REGISTRIES, {
    summary: 'show a registry credential; never its password',
    examples: [['berth registries get reg-team', 'by its id']],
  }),
  create: createRegistry,
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
    revoke,
  }),
});
