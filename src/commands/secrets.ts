import { CREATED_AT, NAME_FLAG } from '../cli/container.ts';
import { type Command, defineCommand } from '../cli/model/command.ts';
import { option } from '../cli/model/params.ts';
import { ENDPOINTS, PODS, SECRETS as COLLECTION, TEMPLATES } from '../cli/resource/collections.ts';
import { defineTable, type Fields } from '../cli/resource/fields.ts';
import { patch, post, remove, usersOf, written } from '../cli/resource/noun-writes.ts';
import { bodyArguments, bodyFlags, bodyFrom } from '../cli/resource/request-body.ts';
import { get, list, noun } from '../cli/resource/noun.ts';
import { idArgument, rowSchema } from '../cli/resource/arguments.ts';
import {
  isSecretGiven,
  redactingSecret,
  refuseSecretOnArgv,
  type Secret,
  secretOptions,
  withSecret,
} from '../cli/resource/secret.ts';
import { type Resource, resource, withId } from '../cli/resource/targets.ts';
import { usage } from '../core/failure.ts';
import { type Json, objectAt, stringAt, stringOf } from '../core/json.ts';

const DESCRIPTION = option.text('what it is for; "" clears it');

const TABLE = defineTable({
  noun: ['secret', 'secrets'],
  fields: {
    id: { path: 'id' },
    name: { path: 'name', create: NAME_FLAG },
    value: { path: 'value', writeOnly: true, create: 'accepted' },
    description: { path: 'description', create: DESCRIPTION },
    createdAt: CREATED_AT,
    valueLastUpdatedAt: { path: 'valueLastUpdatedAt', type: 'time', label: 'changed', column: { header: 'CHANGED' } },
  } satisfies Fields,
  table: ['id', 'name', 'description', 'valueLastUpdatedAt', 'createdAt'],
  detail: [{ fields: ['id', 'name', 'description', 'createdAt', 'valueLastUpdatedAt'] }],
});

const SECRETS = resource(COLLECTION, TABLE);
/** Never on the command line, never printed. */
const VALUE: Secret = { member: 'value', question: 'Value of the secret' };

/** The create of what is never shown: it comes from stdin, a file or a hidden prompt. */
export const createHidden = (
  of: Resource,
  secret: Secret,
  { needed, ...words }: Pick<Command, 'summary' | 'details' | 'examples'> & { readonly needed: readonly string[] },
): Command =>
  defineCommand({
    ...words,
    args: bodyArguments(of, 'create'),
    options: { ...bodyFlags(of, 'create'), ...secretOptions(secret) },
    needed: [...needed, Object.keys(secretOptions(secret))],
    fields: of.view.paths,
    output: rowSchema(of),
    writes: true,
    run: async (ctx, values) => {
      refuseSecretOnArgv(secret, values);
      const body = await withSecret(ctx, secret, await bodyFrom(ctx, of, values, { needed }), values);
      const answer = await redactingSecret(secret, body, () => ctx.api.send(post(of, body)));
      return await written(ctx, of, answer, 'created');
    },
  });

const update = defineCommand({
  summary: 'change the value or the description of a secret',
  details: 'Pods and workers get a new value at their next start. A name never changes.',
  args: { id: idArgument(SECRETS) },
  options: { ...secretOptions(VALUE), description: DESCRIPTION },
  needed: [[...Object.keys(secretOptions(VALUE)), 'description']],
  fields: SECRETS.view.paths,
  output: rowSchema(SECRETS),
  writes: true,
  examples: [['berth secrets update api-token --value-stdin < token', 'a new value']],
  run: async (ctx, { id: word, description, ...values }) => {
    if (description !== undefined && isSecretGiven(VALUE, values))
      throw usage('use either --description or a new value', 'The service changes one at a time: run two updates.');
    const body = description === undefined ? await withSecret(ctx, VALUE, {}, values) : { description };
    const answer = await redactingSecret(VALUE, body, () =>
      withId(ctx, SECRETS, word, (id) => ctx.api.send({ ...patch(SECRETS, id, body), repeatable: true })),
    );
    return await written(ctx, SECRETS, answer, 'updated');
  },
});

/** Any prefix. Names of secrets: additions 7. */
const PLACEHOLDER = /\{\{\s*[A-Za-z][A-Za-z0-9_]*?_SECRET_([a-zA-Z_][a-zA-Z0-9_.\-/]*)\s*\}\}/g;

/** The service deletes secrets in use too. */
const namesOf = (row: Json): readonly string[] =>
  Object.values(objectAt(row, 'env') ?? {}).flatMap((value) =>
    [...(stringOf(value) ?? '').matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? []),
  );

export const secrets = noun('values for the variables of pods and endpoints, never shown', {
  list: list(SECRETS, { examples: [['berth secrets list', 'never their values']] }),
  get: get(SECRETS, { examples: [['berth secrets get api-token', 'by its name']] }),
  create: createHidden(SECRETS, VALUE, {
    summary: 'store a secret for the variables of pods and endpoints',
    details: 'The value comes from stdin, a file or a hidden prompt. Use it with --env NAME=@secret:SECRET.',
    needed: ['name'],
    examples: [['berth secrets create hf-token --value-stdin < token', 'in a script']],
  }),
  update,
  delete: remove(SECRETS, {
    details: 'A secret that a pod, an endpoint or a template uses is refused without --force.',
    loses: 'its value',
    inUse: usersOf({
      noun: 'secret',
      users: [PODS, ENDPOINTS, TEMPLATES],
      usedBy: namesOf,
      keyOf: (secret) => stringAt(secret, 'name') ?? '',
    }),
    examples: [['berth secrets delete api-token --yes', 'in a script']],
  }),
});
