import { lines, type Message, sentence } from '../../../core/message.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure, unlessFailed } from '../../../core/failure.ts';
import { arrayOf, memberAt, objectOf, stringAt, stringOf, type Json, type JsonObject } from '../../../core/json.ts';
import { safeText } from '../../../core/safe-text.ts';
import type { CommandContext } from '../../model/context.ts';
import { DryRun } from '../../run/context/dry-run.ts';
import { nearestOf, suggestionOf } from '../../../core/text/nearest.ts';
import type { Members } from './body.ts';
import { listCommandOf, type Collection } from '../../model/collection.ts';
import type { References } from './references.ts';
import { readRow } from '../identity/identify.ts';
import { lookupRows } from '../identity/requests.ts';

/** The statuses of a refusal that an unknown word may be the reason of. */
const STATUSES: readonly (number | undefined)[] = [400, 404, 422];
/** The words that are listed where none is near. */
const MAX_LISTED = 12;

/** What is known of the body of a write. */
export interface KnownOfBody {
  readonly members: Members;
  readonly references?: References;
  /** See `WriteSpec.wouldRefuse`. */
  readonly wouldRefuse?: (ctx: CommandContext, body: JsonObject) => Promise<readonly string[]>;
}

/**
 * Adds to a refused write which words of its body are not in the list that completes them, such as a GPU type or a data
 * center, and the nearest ones. A dry run that would be refused for them, or for what `wouldRefuse` says, becomes the
 * failure of the write, refused (5). Only then are the lists read. Members of `references` are no such words: they are looked
 * up by name elsewhere. Returns any other error as it is.
 */
export async function withKnownWords(
  ctx: CommandContext,
  known: KnownOfBody,
  body: JsonObject,
  error: unknown,
): Promise<unknown> {
  if (error instanceof DryRun) {
    const [only, ...others] = error.previews;
    const sent = others.length > 0 ? undefined : (objectOf(only?.body) ?? {});
    return (await refusalOfDryRun(ctx, known, body, sent)) ?? error;
  }
  if (!(error instanceof Failure) || !STATUSES.includes(error.status)) return error;
  const hints = await unknownIn(ctx, known, body);
  return hints.length === 0 ? error : error.with({ hint: lines(...hints, error.hint) });
}

/**
 * What the service would refuse a body for, as the failure of the write: refused (5); undefined where nothing is known.
 * `sent` is the body of the request, without one where there are several requests, of which one may be accepted.
 */
export async function refusalOfDryRun(
  ctx: CommandContext,
  known: KnownOfBody,
  body: JsonObject,
  sent: JsonObject | undefined,
): Promise<Failure | undefined> {
  const hints = await unknownIn(ctx, known, body);
  const reasons =
    sent === undefined ? [] : ((await unlessFailed(ctx, async () => await known.wouldRefuse?.(ctx, sent))) ?? []);
  if (hints.length === 0 && reasons.length === 0) return undefined;
  return new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: ['the service would refuse this request', reasons.join('; ')].filter(Boolean).join(': '),
    hint: lines(...hints, 'Nothing was sent.'),
  });
}

/**
 * Looks for what a body names, before a person is asked for the rest of it. Fails with not-found (4), with usage (2) where
 * several have a name, and with refused (5) for a word that no list has. What cannot be read is left to the write.
 */
export async function lookUpNamed(ctx: CommandContext, known: KnownOfBody, body: JsonObject): Promise<void> {
  for (const [path, collection] of Object.entries(known.references ?? {}))
    for (const word of wordsOf(memberAt(body, path)))
      await readRow(ctx, collection, word).catch((error: unknown) => {
        rethrowUnlessFailure(error, ctx);
        if (error.exit === EXIT.notFound || error.exit === EXIT.usage) throw error;
      });
  const refused = await refusalOfDryRun(ctx, known, body, undefined);
  if (refused !== undefined) throw refused;
}

/** A line for each word of a body that no list has. */
async function unknownIn(
  ctx: CommandContext,
  { members, references }: KnownOfBody,
  body: JsonObject,
): Promise<readonly Message[]> {
  const hints: Message[] = [];
  for (const { param, path } of Object.values(members)) {
    const { complete } = param;
    if (typeof complete !== 'object' || references?.[path] !== undefined) continue;
    const words = wordsOf(memberAt(body, path));
    if (words.length > 0) hints.push(...(await unknownWords(ctx, complete, words)));
  }
  return hints;
}

/** The words of a member: text, several texts, or objects with an id. */
const wordsOf = (member: Json | undefined): readonly string[] =>
  (arrayOf(member) ?? [member ?? null]).flatMap((each) => stringOf(each) ?? stringAt(each, 'id') ?? []);

/** A line for each word that the list does not have; none where the list cannot be read. */
async function unknownWords(
  ctx: CommandContext,
  collection: Collection,
  words: readonly string[],
): Promise<readonly Message[]> {
  let rows: readonly Json[];
  try {
    rows = await lookupRows(ctx, collection);
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return [];
  }
  const known = [...new Set(rows.flatMap((row) => stringAt(row, collection.value ?? 'id') ?? []))];
  // An empty list says nothing about a word.
  if (known.length === 0) return [];
  return words
    .filter((word) => !known.includes(word))
    .map((word) => {
      const near = nearestOf(word, known);
      const some = known.slice(0, MAX_LISTED).join(', ') + (known.length > MAX_LISTED ? ', ...' : '');
      const help = suggestionOf(near) ?? `There are ${some}.`;
      return sentence`There is no ${collection.noun} ${safeText(word)}. ${safeText(help)} See ${listCommandOf(collection)}`;
    });
}
