import { type Collection, listCommandOf } from '../model/collection.ts';
import type { CommandContext } from '../model/context.ts';
import { readList, type WholeList } from './pages.ts';
import { listRequest, lookupRows, rowRequest } from './requests.ts';
import { DryRun } from '../run/dry-run.ts';
import { countOf, nearestNames, withArticle } from '../words.ts';
import type { ApiAnswer, ApiRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { type Failure, isNotFound, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import { asId, type Id } from '../../core/ids.ts';
import { type Json, memberAt, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { suggestionOf } from '../../core/text.ts';

interface Identified<N extends string, T> {
  readonly id: Id<N>;
  readonly result: T;
}

/** Tries the id; after 404 looks the name up, runs `request` once more. Ambiguous name: usage (2). */
export async function identify<N extends string, T>(
  ctx: CommandContext,
  collection: Collection<N>,
  word: string,
  request: (id: Id<N>) => Promise<T>,
): Promise<Identified<N, T>> {
  const known = ctx.ids.get(collection, word);
  if (known !== undefined) return { id: known, result: await request(known) };
  const candidate = asId<N>(word);
  try {
    const result = await request(candidate);
    ctx.ids.set(collection, word, candidate);
    return { id: candidate, result };
  } catch (error) {
    if (error instanceof DryRun) await ctx.tell(dryRunNote([word]));
    if (!isNotFound(error)) throw error;
    const { id, failure, near } = await lookUp(ctx, collection, word);
    if (id === undefined)
      throw error.with({
        hint: failure === undefined ? notFoundHint(collection, near) : notListedHint(collection, word, failure),
      });
    // The resource exists: the 404 is about something below it, such as a job of an endpoint.
    if (id === candidate) throw error;
    return { id, result: await request(id) };
  }
}

export async function sendTo<N extends string>(
  ctx: CommandContext,
  collection: Collection<N>,
  word: string,
  request: (id: Id<N>) => ApiRequest,
): Promise<{ readonly id: Id<N>; readonly answer: ApiAnswer }> {
  const { id, result } = await identify(ctx, collection, word, (each) => ctx.api.send(request(each)));
  return { id, answer: result };
}

export const readRow = <N extends string>(ctx: CommandContext, collection: Collection<N>, word: string) =>
  sendTo(ctx, collection, word, (id) => rowRequest(collection, id));

/** `member` is the name in the path and in the answer. */
export async function readListOf<N extends string>(
  ctx: CommandContext,
  collection: Collection<N>,
  word: string,
  member: string,
  limit?: number,
): Promise<{ readonly id: Id<N>; readonly list: WholeList }> {
  const { id, result } = await identify(ctx, collection, word, (each) =>
    readList(ctx.api, { ...listRequest({ path: [...collection.path, each, member], member }), id: each }, limit),
  );
  return { id, list: result };
}

/** Undefined if nothing matches or the key may not read the list. Ambiguous: usage (2). */
export const findId = async <N extends string>(
  ctx: CommandContext,
  collection: Collection<N>,
  word: string,
): Promise<Id<N> | undefined> => ctx.ids.get(collection, word) ?? (await lookUp(ctx, collection, word)).id;

/** `failure`: the key may not read the list. Other failures are thrown: the name must not seem missing. */
async function lookUp<N extends string>(
  ctx: CommandContext,
  collection: Collection<N>,
  word: string,
): Promise<{ readonly id?: Id<N>; readonly failure?: Failure; readonly near?: readonly string[] }> {
  let rows: readonly Json[];
  try {
    rows = await lookupRows(ctx, collection);
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.exit === EXIT.denied) return { failure: error };
    throw error.with({
      message: `whether ${withArticle(collection.noun)} is named ${JSON.stringify(safeText(word))} is not known: ${error.message}`,
    });
  }
  const idsWhere = (member: string): readonly string[] =>
    rows.filter((row) => memberAt(row, member) === word).flatMap((row) => stringAt(row, 'id') ?? []);
  const ids = idsWhere('id').length > 0 ? [word] : idsWhere('name');
  if (ids.length > 1)
    throw usage(
      `${countOf(ids.length, collection.noun)} are named ${JSON.stringify(safeText(word))}`,
      `Use an id: ${ids.map((each) => safeText(each)).join(', ')}`,
    );
  const [text] = ids;
  if (text === undefined) return { near: nearestRows(rows, word) };
  const id = asId<N>(text);
  ctx.ids.set(collection, word, id);
  return { id };
}

export const dryRunNote = (words: readonly string[]): string =>
  `If ${words.join(' or ')} is a name, the id it stands for is looked up first and goes into the request.`;

const nearestRows = (rows: readonly Json[], word: string): readonly string[] =>
  nearestNames(
    word,
    rows.flatMap((row) => ['id', 'name'].flatMap((member) => stringAt(row, member) ?? [])),
  ).map((name) => safeText(name));

const notFoundHint = (collection: Collection, near: readonly string[] = []): Message =>
  sentence`${near.length === 0 ? '' : `${suggestionOf(near) ?? ''}\n`}No ${collection.noun} has this id or name: see ${listCommandOf(collection)}. Another account? ${berth`auth status`}.`;

const notListedHint = (collection: Collection, word: string, failure: Failure): Message =>
  sentence`No ${collection.noun} has the id ${safeText(word)}. Whether one has this name could not be looked up: ${failure.message}\nTry again, or see ${listCommandOf(collection)}`;
