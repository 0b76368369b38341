import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { memberAt, type Json } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { listRows } from '../../cli/resource/identity/requests.ts';
import { idOf } from '../../output/view.ts';
import { isOpen, type Attempt, type AttemptState } from '../../create/attempts.ts';
import { keepAttempt, readAttempts } from '../shared/capacity/memory.ts';
import { attemptId, SETTLING_MS } from '../shared/capacity/keyed-create.ts';
import type { FileDocument } from '../plan/document.ts';
import type { FileKind } from '../plan/kinds.ts';

/** How a create is named on this machine; the key of a `pods create` has no space. */
const keyOf = ({ kind, name }: FileDocument): string => `${kind.name} ${name}`;

/** What a create came to: what it made, or what an earlier one had made, which may differ from the document. */
export type Created = { readonly made: Json } | { readonly found: Json };

/**
 * Sends the create of a document that nothing has the name of. It is kept on the disk before it is sent: after a lost answer,
 * and where an earlier apply ended before its answer, the thing is looked for in the whole list, for over a minute, before
 * anything is sent. Fails with unavailable (7) where nothing has appeared after a lost answer, and as `send` does.
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
    const found = await appeared(ctx, document);
    for (const attempt of before) await keep({ ...attempt, state: found === undefined ? 'over' : 'seen' });
    if (found !== undefined) return { found };
  }
  const id = attemptId(ctx);
  await keep({ id, state: 'sent' });
  try {
    const made = (await send()).value ?? null;
    await keep({ id, state: 'made', pod: idOf(made) });
    return { made };
  } catch (error) {
    if (!(error instanceof Failure) || ctx.signal.aborted) throw error;
    if (error.exit !== EXIT.unknown) {
      await keep({ id, state: 'over' });
      throw error;
    }
    const found = await appeared(ctx, document);
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
}

/** What has the name of a document, looked for until it is there; undefined where nothing appears. */
async function appeared(ctx: CommandContext, { kind, name }: FileDocument): Promise<Json | undefined> {
  for (const pause of SETTLING_MS) {
    if (pause > 0) await ctx.clock.sleep(pause, ctx.signal);
    const found = (await rowsOf(ctx, kind)).find((row) => memberAt(row, 'name') === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Keeps that a list has what was created, so that the next apply does not look for it. */
export async function keepSeen(ctx: CommandContext, kind: FileKind, made: readonly FileDocument[]): Promise<void> {
  const rows = await rowsOf(ctx, kind);
  for (const document of made) {
    const key = keyOf(document);
    const state = (id: string | undefined): AttemptState | undefined =>
      rows.some((row) => idOf(row) === id) ? 'seen' : undefined;
    for (const attempt of (await readAttempts(ctx, key)).filter(isOpen)) {
      const seen = state(attempt.pod);
      if (seen !== undefined) await keepAttempt(ctx, key, { ...attempt, state: seen });
    }
  }
}

const rowsOf = async (ctx: CommandContext, { collection }: FileKind): Promise<readonly Json[]> =>
  (await listRows(ctx, collection)).values.filter((row) => memberAt(row, 'status') !== 'TERMINATED');
