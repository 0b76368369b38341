/** What a word names, with its id: see `withId`. */
import type { ApiAnswer, ApiRequest } from '../../core/api.ts';
import { asId, type Id } from '../../core/ids.ts';
import type { Collection } from '../model/collection.ts';
import type { CommandContext } from '../model/context.ts';
import { readList, type WholeList } from './pages.ts';
import { listRequest } from './requests.ts';
import { withId } from './targets.ts';

/** The id that a word turned out to be. */
const idOf = <N extends string>(ctx: CommandContext, of: Collection<N>, word: string): Id<N> =>
  ctx.ids.get(of, word) ?? asId<N>(word);

export async function sendTo<N extends string>(
  ctx: CommandContext,
  of: Collection<N>,
  word: string,
  request: (id: Id<N>) => ApiRequest,
): Promise<{ readonly id: Id<N>; readonly answer: ApiAnswer }> {
  const answer = await withId(ctx, of, word, (id) => ctx.api.send(request(id)));
  return { id: idOf(ctx, of, word), answer };
}

/** `member` is the name in the path and in the answer. */
export async function readListOf<N extends string>(
  ctx: CommandContext,
  of: Collection<N>,
  word: string,
  member: string,
  limit?: number,
): Promise<{ readonly id: Id<N>; readonly list: WholeList }> {
  const list = await withId(ctx, of, word, (id) =>
    readList(ctx.api, { ...listRequest({ path: [...of.path, id, member], member }), id }, { limit }),
  );
  return { id: idOf(ctx, of, word), list };
}
