import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { type Json, memberAt } from '../../core/json.ts';
import { berth, names, sentence } from '../../core/message.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { pluralOf } from '../../cli/words.ts';
import { APPLY_MARK, byAge, variableOf } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';
import { findLost } from '../pods/keyed-create.ts';
import type { FileDocument } from '../plan/document.ts';
import { type Done, PartlyDone } from './outcome.ts';

/** Undefined for what is found by its name alone. */
export const markOf = ({ kind, name, set = '' }: FileDocument): string | undefined =>
  kind.name === 'pod' || kind.name === 'endpoint' ? `${set}/${kind.name}/${name}` : undefined;

const rowsNamed = (rows: readonly Json[], name: string): readonly Json[] =>
  byAge(rows.filter((row) => memberAt(row, 'name') === name && memberAt(row, 'status') !== 'TERMINATED'));

/** After a lost answer it looks for what was made, and never sends a second create. */
export async function createOnce(
  ctx: CommandContext,
  { kind, name }: FileDocument,
  send: () => Promise<ApiAnswer>,
): Promise<{ readonly row: Json; readonly isAnswered: boolean }> {
  const { noun } = kind.collection;
  let row: Json;
  let isAnswered = true;
  try {
    row = (await send()).value ?? null;
  } catch (error) {
    if (!(error instanceof Failure) || ctx.signal.aborted || error.exit !== EXIT.unknown) throw error;
    const hint = sentence`Before trying again, find out: ${berth`${names(pluralOf(noun))} list`}`;
    row = await findLost(
      ctx,
      error,
      hint,
      async () => rowsNamed((await listRows(ctx, kind.collection)).values, name)[0],
    );
    isAnswered = false;
  }
  return { row, isAnswered };
}

/**
 * Of two with one mark the younger is removed by its maker; refused (5) for other doubles. `list` is read after the creates of
 * the kind, once for all.
 */
export const withoutDouble = async (
  ctx: CommandContext,
  { kind, name, ...document }: FileDocument,
  done: Done,
  { list, remove }: { readonly list: () => Promise<readonly Json[]>; readonly remove: (row: Json) => Promise<unknown> },
): Promise<Done> =>
  await partlyDone(done, async () => {
    const { row } = done;
    const { noun } = kind.collection;
    const mark = markOf({ kind, name, ...document });
    const there = rowsNamed(await list(), name);
    const own = there.find((each) => idOf(each) === idOf(row)) ?? row;
    const others = there.filter((each) => each !== own);
    const isAlike = (each: Json): boolean =>
      done.isAnswered === true && mark !== undefined && variableOf(each, APPLY_MARK) === mark;
    const [oldest = own] = byAge([own, ...others.filter(isAlike)]);
    if (oldest !== own) {
      await ctx.tell(`Another apply created ${noun} ${idOf(oldest)}, which is older: ${noun} ${idOf(row)} is removed.`);
      await remove(row);
      return { action: 'none', row: oldest };
    }
    const doubles = others.filter((each) => !isAlike(each));
    if (doubles.length === 0) return done;
    throw new Failure({
      code: 'refused',
      exit: EXIT.refused,
      message: `${doubles.length + 1} of kind ${kind.name} are named ${name}: ${[own, ...doubles].map(idOf).join(', ')}`,
      hint: sentence`Another one created it too. Delete one: ${berth`${names(pluralOf(noun))} list`}`,
    });
  });

async function partlyDone<T>(done: Done, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof Failure ? new PartlyDone(error, { done }) : error;
  }
}
