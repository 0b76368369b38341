/** Which rows a command is about: by ids, names or selectors, one or several. One is a list of one. */
import { type ApiAnswer, rowRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure, unlessFailed, usage } from '../../core/failure.ts';
import { asId, type Id, isUsableId } from '../../core/ids.ts';
import { encodeJson, type Json, stringAt } from '../../core/json.ts';
import { lines } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { suggestionOf } from '../../core/text.ts';
import { answerResult, asksForData, idOf, type Result, type View } from '../../output/view.ts';
import { listCommand, run } from '../hint.ts';
import type { Collection, Query } from '../model/collection.ts';
import type { CommandContext } from '../model/context.ts';
import { isGiven } from '../model/params.ts';
import { DryRun, unlessUnread } from '../run/dry-run.ts';
import { nearestNames, pluralOf } from '../words.ts';
import { type ResourceTable, viewOf } from './fields.ts';
import { listRequest, listRows, lookupRows, readList, type WholeList } from './pages.ts';
import { compileFilter, type RowFilter, SELECTOR_KEYS } from './arguments.ts';
import { combinedFailure, type Outcome, outcomeResult } from './several.ts';

/** A collection of the service with its fields and the view of its rows. */
export interface Resource<N extends string = string> extends Collection<N> {
  readonly table: ResourceTable;
  readonly view: View;
}

export const resource = <N extends string>(collection: Collection<N>, table: ResourceTable): Resource<N> => ({
  ...collection,
  table,
  view: viewOf(table),
});

/** `lab (pod-1)`; the id alone for a row without a name. */
export const labelOf = (row: Json): string => {
  const name = stringAt(row, 'name') ?? '';
  return safeText(name === '' ? idOf(row) : `${name} (${idOf(row)})`);
};

interface Lookup<N extends string> {
  /** What a dry run reads about a word that no list has, such as the slug of a public queue. */
  readonly unlisted?: (id: Id<N>) => Promise<unknown>;
  /** A word without a digit, which ids of the service have, is looked up before it is tried. */
  readonly nameFirst?: boolean;
}

/** The word is tried as an id, after a 404 as a name: `request` must have no effect when it is not found. */
export async function withId<N extends string, T>(
  ctx: CommandContext,
  of: Collection<N>,
  word: string,
  request: (id: Id<N>) => Promise<T>,
  { unlisted, nameFirst = false }: Lookup<N> = {},
): Promise<T> {
  const isKnown = ctx.ids.get(of, word) !== undefined;
  if (!isKnown && ctx.dryRun) {
    const notFound = new Failure({ code: 'not-found', exit: EXIT.notFound, message: 'not found' });
    // A write of a dry run gets no answer that tells a name from an id.
    await unlessUnread(ctx, async () => {
      try {
        ctx.ids.set(of, word, asId(idOf(await rowNamed(ctx, of, word, notFound))));
      } catch (error) {
        if (unlisted === undefined || !isNotFound(error)) throw error;
        await unlisted(asId<N>(word));
      }
    });
  } else if (!isKnown && nameFirst && isUsableId(word) && !/\d/.test(word)) {
    // Without the list the word may be an id all the same.
    const rows = await unlessFailed(ctx, () => lookupRows(ctx, of));
    const row = rowCalled(of, rows ?? [], word);
    if (row !== undefined) ctx.ids.set(of, word, asId(idOf(row)));
  }
  return await tryAsId(ctx, of, word, request);
}

/** `found` answers from the row of the list; without it `request` runs again. */
async function tryAsId<N extends string, T>(
  ctx: CommandContext,
  of: Collection<N>,
  word: string,
  request: (id: Id<N>) => Promise<T>,
  found?: (row: Json) => T,
): Promise<T> {
  const known = ctx.ids.get(of, word);
  try {
    const result = await request(known ?? asId<N>(word));
    ctx.ids.set(of, word, known ?? asId<N>(word));
    return result;
  } catch (error) {
    if (!isNotFound(error) || known !== undefined) throw error;
    const row = await rowNamed(ctx, of, word, error);
    const id = asId<N>(idOf(row));
    // The row exists: the 404 is about something below it.
    if (id === word && found === undefined) throw error;
    ctx.ids.set(of, word, id);
    return found?.(row) ?? (await request(id));
  }
}

/** Reads the list below a row, such as the workers of an endpoint: `member` is its name in the path and in the answer. */
export async function readListOf<N extends string>(
  ctx: CommandContext,
  of: Collection<N>,
  word: string,
  member: string,
  limit?: number,
): Promise<{ readonly id: Id<N>; readonly list: WholeList }> {
  return await withId(ctx, of, word, async (id) => {
    const request = { ...listRequest({ path: [...of.path, id, member], member }), id };
    return { id, list: await readList(ctx.api, request, { limit }) };
  });
}

/** Reads a row by its id, or finds it by its name: then the row of the list is the answer. */
export const readRow = (ctx: CommandContext, of: Collection, word: string, query: Query = {}): Promise<ApiAnswer> =>
  tryAsId(ctx, of, word, (id) => ctx.api.send(rowRequest(of, id, query)), answerOf);

export const answerOf = (value: Json): ApiAnswer => ({ status: 200, headers: {}, text: encodeJson(value), value });

/** The row of the list with this id or name. Fails with usage (2) where several have the name, and as `notFound` for none. */
async function rowNamed(ctx: CommandContext, of: Collection, word: string, notFound: Failure): Promise<Json> {
  const what = `${of.noun} ${JSON.stringify(safeText(word))}`;
  const rows = await lookupRows(ctx, of).catch((error: unknown) => {
    rethrowUnlessFailure(error, ctx);
    throw error.with({ message: `could not look up ${what}: ${error.message}` });
  });
  const row = rowCalled(of, rows, word);
  if (row !== undefined) return row;
  const names = rows.flatMap((each) => [idOf(each), nameOf(of, each) ?? '']);
  throw notFound.with({
    message: `no ${what}`,
    status: undefined,
    title: undefined,
    detail: undefined,
    hint: lines(suggestionOf(nearestNames(word, names).map((name) => safeText(name))), run(listCommand(of))),
  });
}

const nameOf = (of: Collection, row: Json): string | undefined => of.nameOf?.(row) ?? stringAt(row, 'name');

/** The row with this id, else the only one with this name. Fails with usage (2) where several have the name. */
export function rowCalled(of: Collection, rows: readonly Json[], word: string): Json | undefined {
  const byId = rows.filter((row) => idOf(row) === word);
  const found = byId.length > 0 ? byId : rows.filter((row) => nameOf(of, row) === word);
  if (found.length < 2) return found[0];
  const message = `${found.length} ${pluralOf(of.noun)} are named ${JSON.stringify(safeText(word))}`;
  throw usage(`${message}: ${found.map(idOf).join(', ')}`, 'Use an id.');
}

/** One row that a command acts on. */
export interface Target {
  /** What the user typed, or the id of a selected row. */
  readonly word: string;
  readonly row?: Json;
  /** Why its row could not be read. */
  readonly failure?: Failure;
}

export interface Chosen {
  /** True where selectors picked them: then the command asks first. */
  readonly isSelected: boolean;
  readonly targets: readonly Target[];
}

export type Selection = RowFilter & { readonly id: readonly string[]; readonly all?: boolean };

/** The rows that words name, unread, or that selectors pick from one list. */
export async function choose(ctx: CommandContext, of: Resource, values: Selection): Promise<Chosen> {
  const given = SELECTOR_KEYS.filter((key) => isGiven(values[key]));
  if (given.length === 0)
    return { isSelected: false, targets: [...new Set(values.id)].map((word): Target => ({ word })) };
  if (values.all === true && given.length > 1) throw usage('use either --all or another selector');
  const isWanted = compileFilter(of.table, values);
  const { values: rows } = await listRows(ctx, of);
  const picked = rows.filter((row) => idOf(row) !== '' && isWanted(row, ctx.serviceNow()));
  for (const row of picked) ctx.ids.set(of, idOf(row), asId(idOf(row)));
  return { isSelected: true, targets: picked.map((row) => ({ word: idOf(row), row })) };
}

/** The targets with their rows: one request for each that has none. A failure belongs to its target. */
export const withRows = (ctx: CommandContext, of: Resource, targets: readonly Target[]): Promise<readonly Target[]> =>
  Promise.all(
    targets.map(async (target): Promise<Target> => {
      if (target.row !== undefined) return target;
      try {
        return { ...target, row: (await readRow(ctx, of, target.word)).value ?? null };
      } catch (error) {
        rethrowUnlessFailure(error, ctx);
        return { ...target, failure: error };
      }
    }),
  );

/** One after the other; a failure belongs to its target. `act` may return undefined to skip one. */
export async function each<N extends string>(
  ctx: CommandContext,
  of: Resource<N>,
  targets: readonly Target[],
  act: (id: Id<N>) => Promise<ApiAnswer>,
): Promise<readonly Outcome[]> {
  const sent = new Set<string>();
  const shownOf = ({ word, row }: Target): Pick<Outcome, 'id' | 'name'> => {
    const id = ctx.ids.get(of, word) ?? word;
    return { id, name: stringAt(row, 'name') ?? (word === id ? undefined : word) };
  };
  return await eachOf(ctx, targets, shownOf, async (target) => {
    const { word, failure } = target;
    if (failure !== undefined) throw failure;
    const answer = await withId(ctx, of, word, async (id) => {
      // An id and a name may be one row.
      if (sent.has(id)) return undefined;
      sent.add(id);
      return await act(id);
    });
    if (answer === undefined) return undefined;
    const { value, unchanged } = answer;
    const { id, name } = shownOf(target);
    return { id, name: stringAt(value, 'name') ?? name, status: stringAt(value, 'status'), unchanged, answer };
  });
}

/** `each` for what is no row of a collection, such as a job. */
export async function eachOf<T>(
  ctx: CommandContext,
  things: readonly T[],
  shownOf: (thing: T) => Pick<Outcome, 'id' | 'name'>,
  act: (thing: T) => Promise<Outcome | undefined>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let recorded: DryRun | undefined;
  for (const thing of things) {
    try {
      if (ctx.signal.aborted) throw notSent(ctx.signal.reason);
      const done = await act(thing);
      if (done !== undefined) outcomes.push(done);
    } catch (error) {
      if (error instanceof DryRun) recorded = error;
      else if (error instanceof Failure) outcomes.push({ ...shownOf(thing), failure: error });
      else throw error;
    }
  }
  if (recorded !== undefined) throw new DryRun(recorded.previews, combinedFailure(outcomes, things.length));
  return outcomes;
}

const notSent = (reason: unknown): unknown =>
  reason instanceof Failure ? reason.with({ code: 'not-sent', message: `not sent: ${reason.message}` }) : reason;

/** `stopped pod lab`, or the document with -o; for several an outcome each. `tail` ends the line. */
export function report(
  ctx: CommandContext,
  of: Pick<Resource, 'noun' | 'view'>,
  { isSelected, targets = [] }: Pick<Chosen, 'isSelected'> & Partial<Chosen>,
  outcomes: readonly Outcome[],
  done: string,
  tail: (row: Json) => string = () => '',
): Result {
  const line = (text: string): Pick<Result, 'notes'> => ({ notes: ctx.settings.get('quiet') ? [] : [text] });
  const [only, ...others] = outcomes;
  if (only === undefined) {
    const why = targets.length === 0 ? `no matching ${of.noun}: ` : '';
    return { ...outcomeResult(ctx, of.noun, [], done), ...line(`${why}nothing ${done}`) };
  }
  if (isSelected || others.length > 0) {
    const isSilent = ctx.settings.get('quiet') && !asksForData(ctx.output);
    const result = outcomeResult(ctx, of.noun, outcomes, done);
    return isSilent && result.failure === undefined ? { kind: 'nothing' } : result;
  }
  const { answer, failure, unchanged, name, id } = only;
  if (failure !== undefined) throw failure;
  if (!asksForData(ctx.output)) {
    const what = `${of.noun} ${name ?? id}`;
    const text = unchanged === true ? `${what} is already ${done}` : `${done} ${what}${tail(answer?.value ?? null)}`;
    return { kind: 'nothing', ...line(text) };
  }
  return answer?.value === undefined ? outcomeResult(ctx, of.noun, [only], done) : answerResult(of.view, answer);
}
