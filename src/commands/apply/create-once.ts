import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { memberAt, type Json } from '../../core/json.ts';
import { berth, names, sentence } from '../../core/message.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { rememberCreated } from '../../cli/resource/created.ts';
import { listRows } from '../../cli/resource/identity/requests.ts';
import { pluralOf } from '../../cli/words/words.ts';
import { idOf } from '../../output/view.ts';
import { isOpen, type Attempt } from '../../create/attempts.ts';
import { keepAttempt, readAttempts } from '../shared/capacity/memory.ts';
import { attemptId, SETTLING_MS } from '../shared/capacity/keyed-create.ts';
import type { FileDocument } from '../plan/document.ts';
import { PartlyDone } from './outcome.ts';

/** How a create is named on this machine; the key of a `pods create` has no space. */
const keyOf = ({ kind, name }: FileDocument): string => `${kind.name} ${name}`;

/** What a create came to: what it made, or what an earlier one had made, which may differ from the document. */
export type Created = { readonly made: Json } | { readonly found: Json };

/**
 * Sends the create of a document that nothing has the name of. It is kept on the disk before it is sent: after a lost answer,
 * and where an earlier apply ended before its answer, the thing is looked for in the whole list, for over a minute, before
 * anything is sent. Fails with unavailable (7) where nothing has appeared after a lost answer,
 * with outcome-unknown (8) where that could not be read, and as `send` does.
 */
export async function createOnce(
  ctx: CommandContext,
  document: FileDocument,
  send: () => Promise<ApiAnswer>,
): Promise<Created> {
  const key = keyOf(document);
  const keep = (attempt: Attempt) => keepAttempt(ctx, key, attempt);
  const before = (await readAttempts(ctx, key)).filter(isOpen);
  if (before.length > 0) {
    await ctx.tell(`An earlier create of ${key} may have been done: it is looked for.`);
    const found = await appearedAfter(ctx, document);
    for (const attempt of before) await keep({ ...attempt, state: found === undefined ? 'over' : 'seen' });
    if (found !== undefined) return { found };
  }
  const id = attemptId(ctx);
  await keep({ id, state: 'sent' });
  let made: Json;
  try {
    made = (await send()).value ?? null;
  } catch (error) {
    if (!(error instanceof Failure) || ctx.signal.aborted) throw error;
    if (error.exit !== EXIT.unknown) {
      await keep({ id, state: 'over' });
      throw error;
    }
    const found = await appearedAfter(ctx, document);
    await keep({ id, state: found === undefined ? 'over' : 'seen' });
    if (found !== undefined) return { found };
    throw new Failure({
      ...error.facts(),
      code: 'unavailable',
      exit: EXIT.unavailable,
      message: 'no answer came to the create, and nothing of its name has appeared since: nothing was created',
      hint: undefined,
    });
  }
  try {
    // In this order: after a kill in between, the thing is looked for.
    await rememberCreated(ctx, document.kind.collection.noun, made);
    await keep({ id, state: 'seen', pod: idOf(made) });
    return { made };
  } catch (error) {
    throw error instanceof Failure ? new PartlyDone(error, { done: { action: 'create', row: made } }) : error;
  }
}

/** `appeared`, for a create that has no answer: where the list cannot be read, its outcome is not known (8). */
async function appearedAfter(ctx: CommandContext, document: FileDocument): Promise<Json | undefined> {
  try {
    return await appeared(ctx, document);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw error.with({
      code: 'outcome-unknown',
      exit: ctx.signal.aborted ? error.exit : EXIT.unknown,
      message: `no answer came to the create of ${keyOf(document)}, and it was not found out whether it is there: ${error.message}`,
      hint: sentence`Before trying again, find out: ${berth`${names(pluralOf(document.kind.collection.noun))} list`}`,
    });
  }
}

/** What has the name of a document, looked for until it is there; undefined where nothing appears. */
async function appeared(ctx: CommandContext, { kind, name }: FileDocument): Promise<Json | undefined> {
  for (const pause of SETTLING_MS) {
    if (pause > 0) await ctx.clock.sleep(pause, ctx.signal);
    const { values } = await listRows(ctx, kind.collection);
    const found = values.find((row) => memberAt(row, 'name') === name && memberAt(row, 'status') !== 'TERMINATED');
    if (found !== undefined) return found;
  }
  return undefined;
}
