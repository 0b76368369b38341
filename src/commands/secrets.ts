import { CREATED_AT, NAME_FLAG } from '../cli/container/container-fields.ts';
import { defineCommand } from '../cli/model/command.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { option } from '../cli/model/params.ts';
import { ENDPOINTS, PODS, SECRETS as COLLECTION, TEMPLATES } from '../cli/resource/collections.ts';
import { defineTable, type Fields } from '../cli/resource/fields.ts';
import { patch, post, remove, usersOf, written } from '../cli/resource/noun-writes.ts';
import { bodyArguments, bodyFlags, bodyFrom } from '../cli/resource/noun-body.ts';
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
import { resource, withId } from '../cli/resource/targets.ts';
import type { ApiAnswer } from '../core/api.ts';
import { Failure, usage } from '../core/failure.ts';
import { encodeJson, type Json, type JsonObject, objectAt, stringAt, stringOf } from '../core/json.ts';

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
const VALUE: Secret = { member: 'value', question: 'Value of the secret', maxBytes: 16_777_215 };

const create = defineCommand({
  summary: 'store a secret for the variables of pods and endpoints',
  details: 'The value comes from stdin, a file or a hidden prompt. Use it with --env NAME=@secret:SECRET.',
  args: bodyArguments(SECRETS, 'create'),
  options: { ...bodyFlags(SECRETS, 'create'), ...secretOptions(VALUE) },
  needed: ['name', Object.keys(secretOptions(VALUE))],
  fields: SECRETS.view.paths,
  output: rowSchema(SECRETS),
  writes: true,
  examples: [['berth secrets create hf-token --value-stdin < token', 'in a script']],
  run: async (ctx, values) => {
    refuseSecretOnArgv(VALUE, values);
    const plain = await bodyFrom(ctx, SECRETS, values, { needed: ['name'] });
    const name = stringAt(plain, 'name') ?? '';
    if (!/^[a-zA-Z_][a-zA-Z0-9_.\-/]{0,190}$/.test(name))
      throw usage(
        `invalid --name ${JSON.stringify(name)}`,
        'Use up to 191 letters, digits, _ . - /; begin with a letter or _.',
      );
    const body = await withSecret(ctx, VALUE, plain, values);
    const answer = await redactingSecret(VALUE, body, () => ctx.api.send(post(SECRETS, body)));
    return await written(ctx, SECRETS, answer, 'created');
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
    const needsValue = isSecretGiven(VALUE, values) || description === undefined;
    const value = needsValue ? await withSecret(ctx, VALUE, {}, values) : undefined;
    const bodies: readonly JsonObject[] = [
      ...(value === undefined ? [] : [value]),
      ...(description === undefined ? [] : [{ description }]),
    ];
    const answer = await redactingSecret(VALUE, value ?? {}, () => patchAll(ctx, word, bodies));
    return await written(ctx, SECRETS, answer, 'updated');
  },
});

/** One request with both is not atomic. */
const patchAll = (ctx: CommandContext, word: string, [first, second]: readonly JsonObject[]): Promise<ApiAnswer> =>
  withId(ctx, SECRETS, word, async (id) => {
    const send = (body: JsonObject, then?: string) =>
      ctx.api.send({ ...patch(SECRETS, id, body), repeatable: true, ...(then === undefined ? {} : { then }) });
    if (first === undefined) throw usage('nothing to change');
    const answer = await send(first, second && `PATCH ${encodeJson(second)}`);
    if (second === undefined) return answer;
    try {
      return await send(second);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw error.with({ message: `value updated, description not: ${error.message}` });
    }
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
  create,
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
