import { berth, type Message, sentence } from '../../../core/message.ts';
import type { ApiAnswer, ApiRequest } from '../../../core/api.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { type Failure, isNotFound, rethrowUnlessFailure, usage } from '../../../core/failure.ts';
import { asId, type Id } from '../../../core/ids.ts';
import { memberAt, stringAt, type Json } from '../../../core/json.ts';
import { safeText } from '../../../core/safe-text.ts';
import { countOf, withArticle } from '../../words/words.ts';
import type { Absence } from '../../../core/not-there-yet.ts';
import type { CommandContext } from '../../model/context.ts';
import { askAgain } from '../../run/ask-again.ts';
import { DryRun } from '../../run/context/dry-run.ts';
import { suggestionOf } from '../../../core/text/nearest.ts';
import { nearestNames } from '../../words/suggestions.ts';
import { absenceOfCreated, createdRows } from '../created.ts';
import { readList, type WholeList } from '../pages/read-list.ts';
import { listCommandOf, type Collection } from '../../model/collection.ts';
import { listRequest, lookupRows, rowRequest } from './requests.ts';

/** What a request about a named resource gave, and the id that the name stands for. */
export interface Identified<N extends string, T> {
  readonly id: Id<N>;
  readonly result: T;
}

/**
 * Runs the first request about a resource as `identifyNow` does. One that this machine has just created is asked for again
 * while the service does not have it, for up to a minute; it then fails with not-found (4) and says so.
 */
export async function identify<N extends string, T>(
  ctx: CommandContext,
  collection: Collection<N>,
  word: string,
  request: (id: Id<N>) => Promise<T>,
): Promise<Identified<N, T>> {
  const what = `${collection.noun} ${safeText(word)}`;
  let absence: Absence | undefined;
  const find = async () => (absence = await absenceOfCreated(ctx, collection.noun, word));
  try {
    return await askAgain(ctx, what, find, () => identifyNow(ctx, collection, word, request));
  } catch (error) {
    if (absence === undefined || !isNotFound(error)) throw error;
    throw error.with({
      message: `${what} is not found, although this machine has just created it`,
      hint: sentence`It may be there, and be paid: ${listCommandOf(collection)}`,
    });
  }
}

/**
 * Runs the first request about a resource that the user named by an id or a name. Each word is resolved once per
 * command: later calls use the id that was found. Until then the word is tried as an id, so that an id costs no extra
 * request. If the service answers 404, the word is looked up as a name before anything is concluded, and `request` runs
 * once more with the id; it must therefore have no effect when it fails with not-found (4). Fails with usage (2) and the
 * candidates if several have the name; with the 404 if none has; as the list does if it cannot be read whole.
 */
export async function identifyNow<N extends string, T>(
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

/**
 * Sends the first request about a resource that the user named by an id or a name; see `identify`. With `identifyNow` it is sent
 * once: for polls, and where the 404 may be about something below the resource, such as a job.
 */
export async function sendTo<N extends string>(
  ctx: CommandContext,
  collection: Collection<N>,
  word: string,
  request: (id: Id<N>) => ApiRequest,
  find: typeof identify = identify,
): Promise<{ readonly id: Id<N>; readonly answer: ApiAnswer }> {
  const { id, result } = await find(ctx, collection, word, (each) => ctx.api.send(request(each)));
  return { id, answer: result };
}

/** Reads the row that the user named by an id or a name; see `identify`. */
export const readRow = <N extends string>(ctx: CommandContext, collection: Collection<N>, word: string) =>
  sendTo(ctx, collection, word, (id) => rowRequest(collection, id));

/**
 * Reads a list that belongs to a row, such as the workers of an endpoint; `member` names it in the path and in the answer.
 * With `limit`, it ends after so many rows.
 */
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

/**
 * The id that a word stands for, by the list of the collection; undefined if nothing has that id or name, or if the key
 * may not read the list. Fails as the list does, and with usage (2) and the candidates if several have the name.
 */
export const findId = async <N extends string>(
  ctx: CommandContext,
  collection: Collection<N>,
  word: string,
): Promise<Id<N> | undefined> => ctx.ids.get(collection, word) ?? (await lookUp(ctx, collection, word)).id;

/**
 * Looks a word up in the list of its collection. `failure` says why the key may not read the list; `near` are the ids and
 * names that are spelt almost like it. Fails as the list does for any other reason: it is then not known whether anything
 * has the name, and a script must not take it for missing.
 */
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
  // What was just created counts too: the list of a replica that lags may have another one of this name alone.
  const unlisted = (await createdRows(ctx, collection.noun)).filter(
    ({ id, name }) => name === word && !rows.some((row) => memberAt(row, 'id') === id),
  );
  const ids = idsWhere('id').length > 0 ? [word] : [...idsWhere('name'), ...unlisted.map(({ id }) => id)];
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

/** Said in a dry run about a word that could not be looked up, or is looked up by the write alone. */
export const dryRunNote = (words: readonly string[]): string =>
  `If ${words.join(' or ')} is a name, the id it stands for is looked up first and goes into the request.`;

/** The ids and names of the rows that are nearest to a word. */
const nearestRows = (rows: readonly Json[], word: string): readonly string[] =>
  nearestNames(
    word,
    rows.flatMap((row) => ['id', 'name'].flatMap((member) => stringAt(row, member) ?? [])),
  ).map((name) => safeText(name));

const notFoundHint = (collection: Collection, near: readonly string[] = []): Message =>
  sentence`${near.length === 0 ? '' : `${suggestionOf(near) ?? ''}\n`}No ${collection.noun} has this id or name: see ${listCommandOf(collection)}. Another account? ${berth`auth status`}.`;

const notListedHint = (collection: Collection, word: string, failure: Failure): Message =>
  sentence`No ${collection.noun} has the id ${safeText(word)}. Whether one has this name could not be looked up: ${failure.message}\nTry again, or see ${listCommandOf(collection)}`;
