import { isUtf8 } from 'node:buffer';
import { CREATED_AT, NAME_FLAG } from '../cli/container.ts';
import { defineCommand, textIn, textsIn, type Values } from '../cli/model/command.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { flagName, option, type Params } from '../cli/model/params.ts';
import { ENDPOINTS, PODS, SECRETS as COLLECTION, TEMPLATES } from '../cli/resource/collections.ts';
import { defineTable, type Fields } from '../cli/resource/fields.ts';
import { create, patch, remove, usersOf, written } from '../cli/resource/noun-writes.ts';
import type { BodyRules } from '../cli/resource/request-body.ts';
import { get, list, noun, type NounWords } from '../cli/resource/noun.ts';
import { idArgument, rowSchema } from '../cli/resource/arguments.ts';
import { type Resource, resource, withId } from '../cli/resource/targets.ts';
import { Failure, usage } from '../core/failure.ts';
import { safeText } from '../core/safe-text.ts';
import { type Json, type JsonObject, objectAt, stringAt, stringOf } from '../core/json.ts';

/** Never given on the command line and never printed, such as a password. */
export interface Secret {
  readonly member: string;
  readonly question: string;
}

const REDACTED = '***';

const stdinKey = ({ member }: Secret): string => `${member}Stdin`;
const fileKey = ({ member }: Secret): string => `${member}File`;

const secretOptions = (secret: Secret): Params => ({
  [stdinKey(secret)]: option.on(`read the ${secret.member} from stdin`),
  [fileKey(secret)]: option.text(`read the ${secret.member} from a file, without its last line end`, {
    metavar: 'FILE',
    complete: 'file',
  }),
});

const isSecretGiven = (secret: Secret, values: Values): boolean =>
  values[stdinKey(secret)] === true || values[fileKey(secret)] !== undefined;

/** Usage (2): shell history and process lists show the command line. */
function refuseSecretOnArgv(secret: Secret, values: Values): void {
  const { member } = secret;
  if (textsIn(values, 'set').some((text) => text.startsWith(`${member}=`)))
    throw usage(
      `the ${member} cannot be given on the command line`,
      `It is asked for on a terminal, and read with ${flagName(stdinKey(secret))} or ${flagName(fileKey(secret))}.`,
    );
  if (values[stdinKey(secret)] === true && values['file'] === '-')
    throw usage(`--file - and ${flagName(stdinKey(secret))} both read stdin`, 'Keep one of them.');
}

/** A dry run shows `***`. Usage (2) if empty, too large, not text or unpromptable; local-file (14). */
async function withSecret(ctx: CommandContext, secret: Secret, body: JsonObject, values: Values): Promise<JsonObject> {
  const { member, question } = secret;
  if (ctx.dryRun) return { ...body, [member]: REDACTED };
  const [stdin, file] = [flagName(stdinKey(secret)), flagName(fileKey(secret))];
  const isStdin = values[stdinKey(secret)] === true;
  const path = isStdin ? '-' : textIn(values, fileKey(secret));
  if (isStdin && values[fileKey(secret)] !== undefined) throw usage(`use either ${stdin} or ${file}`);
  if (path !== undefined) return { ...body, [member]: textOf(await ctx.files.read(path), isStdin ? 'stdin' : path) };
  if (stringAt(body, member) !== undefined) return body;
  if (!ctx.terminal.canAsk)
    throw usage(`missing ${stdin} or ${file}`, `Without one, the ${member} is asked for on a terminal.`);
  const text = await ctx.prompts.secret(question);
  if (text === '') throw usage(`the ${member} is empty`);
  return { ...body, [member]: text };
}

/** Without the final line end. No message contains a part of it. */
function textOf(bytes: Uint8Array, source: string): string {
  if (!isUtf8(bytes))
    throw usage(`${source} is not UTF-8`, 'Encode other data as text first, for example with base64.');
  const text = new TextDecoder().decode(bytes).replace(/\r?\n$/, '');
  if (text === '') throw usage(`${source} is empty`);
  if (text.includes('\0')) throw usage(`${source} has a zero byte, which no variable can have`);
  return text;
}

/** As it is, as JSON, escaped for a terminal, and line by line. */
function formsOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.length >= 4);
  const forms = [text, ...lines].flatMap((form) => [form, JSON.stringify(form).slice(1, -1), safeText(form)]);
  return [...new Set(forms)].toSorted((one, other) => other.length - one.length);
}

export async function redactingSecret<T>(secret: Secret, body: JsonObject, act: () => Promise<T>): Promise<T> {
  const text = stringAt(body, secret.member) ?? '';
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Failure) || text === '') throw error;
    const forms = formsOf(text);
    const hide = (message: string): string =>
      forms.reduce((hidden, form) => hidden.replaceAll(form, REDACTED), message);
    throw error.with({
      message: hide(error.message),
      detail: error.detail === undefined ? undefined : hide(error.detail),
      errors: error.errors?.map(hide),
    });
  }
}

const DESCRIPTION = { text: 'what it is for; "" clears it' } as const;

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
export const createHidden = (of: Resource, secret: Secret, spec: NounWords & BodyRules) =>
  create(of, {
    ...spec,
    oneOf: secretOptions(secret),
    body: async (ctx, read, values) => {
      refuseSecretOnArgv(secret, values);
      return await withSecret(ctx, secret, await read(), values);
    },
    send: (ctx, request) => redactingSecret(secret, request.body, () => ctx.api.send(request)),
  });

const update = defineCommand({
  summary: 'change the value or the description of a secret',
  details: 'Pods and workers get a new value at their next start. A name never changes.',
  args: { id: idArgument(SECRETS) },
  options: { ...secretOptions(VALUE), description: option.text(DESCRIPTION.text) },
  needed: [[...Object.keys(secretOptions(VALUE)), 'description']],
  fields: SECRETS.view.paths,
  output: () => rowSchema(SECRETS),
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
