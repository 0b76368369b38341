import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure, unlessFailed } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { memberAt, objectOf, stringAt, type Json } from '../../core/json.ts';
import { berth, names } from '../../core/message.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { forgetCreated } from '../../cli/resource/created.ts';
import { rowRequest } from '../../cli/resource/identity/requests.ts';
import { pluralOf } from '../../cli/words/words.ts';
import { SET_MARK, variableOf } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';
import { costOf } from '../plan/cost.ts';
import type { FileKind } from '../plan/kinds.ts';
import { PartlyDone } from './outcome.ts';

/** The request that removes a row for good. */
export function removeRequest({ collection }: FileKind, row: Json) {
  const id = asId<string>(idOf(row));
  const checkCommand = berth`${names(pluralOf(collection.noun))} list`;
  return { service: 'base', method: 'DELETE', path: [...collection.path, id], id, checkCommand } as const;
}

/** The failure (5) where members of a thing, `what`, are not what they were when it was read. `done` is a sentence. */
export const changedSinceRead = (what: string, members: readonly string[], done: string, id: string | undefined) =>
  new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `${what} was changed by somebody else since it was read: ${members.join(', ')}`,
    hint: `${done} Run it again to see what there is to do now.`,
    ...(id === undefined ? {} : { id }),
  });

/**
 * Removes a row after it was read again; returns whether it was there. Fails with refused (5) where it has another name or
 * set by now, or is locked, and as the request does.
 */
export async function removeRow(ctx: CommandContext, kind: FileKind, row: Json): Promise<boolean> {
  const id = asId<string>(idOf(row));
  const read = async (): Promise<Json | undefined> => {
    try {
      const now = (await ctx.api.send(rowRequest(kind.collection, id))).value ?? null;
      return stringAt(now, 'status') === 'TERMINATED' ? undefined : now;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const withCost = async (failure: Failure, seen: Json): Promise<PartlyDone> => {
    const { before } = await costOf(ctx, kind.name, kind.adapt(objectOf(seen) ?? {}), {});
    return new PartlyDone(failure, { after: before });
  };
  const now = await read();
  if (now === undefined) return false;
  const changed = [
    ...(memberAt(now, 'name') === memberAt(row, 'name') ? [] : ['name']),
    ...(variableOf(now, SET_MARK) === variableOf(row, SET_MARK) ? [] : [`env.${SET_MARK}`]),
    ...(memberAt(now, 'locked') === true ? ['locked'] : []),
  ];
  if (changed.length > 0) throw await withCost(changedSinceRead('it', changed, 'It was not removed.', id), now);
  try {
    await ctx.api.send(removeRequest(kind, row));
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.exit === EXIT.unknown) {
      const seen = await unlessFailed(ctx, async () => ({ row: await read() }));
      if (seen === undefined) throw error;
      if (seen.row !== undefined) throw await withCost(error, seen.row);
    } else if (error.exit !== EXIT.notFound) throw error;
  }
  await forgetCreated(ctx, kind.collection.noun, [id]);
  return true;
}
