import { berth } from '../../core/message.ts';
import type { ApiAnswer, ApiRequest } from '../../core/api.ts';
import { Failure, usage } from '../../core/failure.ts';
import { asId, type Id } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { dryRunNote, identify, readRow } from '../../cli/resource/identify.ts';
import { idArgument, resourceOf, rowSchema } from '../../cli/resource/read.ts';
import { isSecretGiven, redactingSecret, secretOptions, withSecret } from '../../cli/resource/secret.ts';
import { unlessUnread } from '../../cli/run/dry-run.ts';
import { answerResult } from '../../output/view.ts';
import { SECRETS } from '../../cli/resource/collections.ts';
import { SECRET_TABLE, VALUE } from './fields.ts';

const RESOURCE = resourceOf(SECRETS, SECRET_TABLE);

/** Two requests: one with both is not atomic, after an error the value may be new (additions 7). */
export const update = defineCommand({
  summary: 'change the value or the description of a secret',
  details:
    'Without a flag the value is asked for. Pods and workers get a new value at their next start. A name never changes.',
  args: { id: idArgument(RESOURCE) },
  options: {
    ...secretOptions(VALUE),
    description: option.text('what it is for; "" clears it'),
  },
  needed: [[...Object.keys(secretOptions(VALUE)), 'description']],
  fields: RESOURCE.view.paths,
  output: rowSchema(RESOURCE),
  writes: true,
  examples: [
    ['berth secrets update api-token --value-stdin < token', 'a new value, for scripts'],
    ['berth secrets update api-token --description "for downloads"', 'only the description'],
  ],
  run: async (ctx, values) => {
    const { id: word, description } = values;
    const isValueGiven = isSecretGiven(VALUE, values) || description === undefined;
    const value = isValueGiven ? await withSecret(ctx, VALUE, {}, values) : undefined;
    const bodies = [...(value === undefined ? [] : [value]), ...(description === undefined ? [] : [{ description }])];
    if (ctx.dryRun) {
      const found = await unlessUnread(ctx, () => readRow(ctx, SECRETS, word));
      if (found === undefined) await ctx.tell(dryRunNote([word]));
      return await ctx.previewAll(bodies.map((body) => patch(found?.id ?? asId(word), body)));
    }
    return redactingSecret(VALUE, value ?? {}, async () => {
      const answer = await sendAll(ctx, word, bodies);
      const notes = value === undefined ? [] : ['Pods and workers that use it get the new value at their next start.'];
      return { ...answerResult(RESOURCE.view, answer), notes };
    });
  },
});

const patch = (id: Id, body: JsonObject): ApiRequest => ({
  service: 'base',
  method: 'PATCH',
  path: [...SECRETS.path, id],
  body,
  id,
  expects: 'resource',
  // Sending the same value and description again changes nothing.
  repeatable: true,
  checkCommand: berth`secrets get ${id}`,
});

/** In order. If the second fails, the error says that the value has changed. */
async function sendAll(ctx: CommandContext, word: string, bodies: readonly JsonObject[]): Promise<ApiAnswer> {
  const [first, second] = bodies;
  if (first === undefined) throw usage('nothing to change', 'Name --value-stdin, --value-file or --description.');
  const { id, result } = await identify(ctx, SECRETS, word, (known) => ctx.api.send(patch(known, first)));
  if (second === undefined) return result;
  try {
    return await ctx.api.send(patch(id, second));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw error.with({ message: `the value is changed, and the description is not: ${error.message}` });
  }
}
