import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { type Json, memberAt } from '../../core/json.ts';
import { berth, names, sentence } from '../../core/message.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { rememberCreated } from '../../cli/resource/created.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { pluralOf } from '../../cli/words.ts';
import { idOf } from '../../output/view.ts';
import { isOpen, type Attempt } from '../../create/attempts.ts';
import { attemptId, keepAttempt, readAttempts, SETTLING_MS } from '../pods/keyed-create.ts';
import type { FileDocument } from '../plan/document.ts';
import { PartlyDone } from './outcome.ts';

/** On this machine. Contains a space, which keys of `pods create` do not. */
const keyOf = ({ kind, name }: FileDocument): string => `${kind.name} ${name}`;

/** `found`: an earlier create made it, and it may differ from the document. */
export type Created = { readonly made: Json } | { readonly found: Json };

/** Saved before sending: after a lost answer polls the list over a minute. Unavailable (7), unknown (8). */
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

/** Outcome-unknown (8) if the list cannot be read. */
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

/** Polls until it is there; undefined if nothing appears. */
async function appeared(ctx: CommandContext, { kind, name }: FileDocument): Promise<Json | undefined> {
  for (const pause of SETTLING_MS) {
    if (pause > 0) await ctx.clock.sleep(pause, ctx.signal);
    const { values } = await listRows(ctx, kind.collection);
    const found = values.find((row) => memberAt(row, 'name') === name && memberAt(row, 'status') !== 'TERMINATED');
    if (found !== undefined) return found;
  }
  return undefined;
}
