import { type Collection, listCommandOf } from '../model/collection.ts';
import type { CommandContext } from '../model/context.ts';
import { readRow } from './identify.ts';
import type { References } from './references.ts';
import type { Members } from './request-body.ts';
import { lookupRows } from './requests.ts';
import { DryRun } from '../run/dry-run.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { arrayOf, type Json, type JsonObject, memberAt, stringAt, stringOf } from '../../core/json.ts';
import { lines, type Message, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { nearestOf, suggestionOf } from '../../core/text.ts';

const STATUSES: readonly (number | undefined)[] = [400, 404, 422];
const MAX_LISTED = 12;

interface KnownOfBody {
  readonly members: Members;
  readonly references?: References;
}

/** Reads lists only after a refusal or in a dry run, which then fails with refused (5). Others pass as is. */
export async function withKnownWords(
  ctx: CommandContext,
  known: KnownOfBody,
  body: JsonObject,
  error: unknown,
): Promise<unknown> {
  if (error instanceof DryRun) {
    return (await refusalOfDryRun(ctx, known, body)) ?? error;
  }
  if (!(error instanceof Failure) || !STATUSES.includes(error.status)) return error;
  const hints = await unknownIn(ctx, known, body);
  return hints.length === 0 ? error : error.with({ hint: lines(...hints, error.hint) });
}

/** Refused (5), or undefined if nothing is known. */
export async function refusalOfDryRun(
  ctx: CommandContext,
  known: KnownOfBody,
  body: JsonObject,
): Promise<Failure | undefined> {
  const hints = await unknownIn(ctx, known, body);
  if (hints.length === 0) return undefined;
  return new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: 'the service would refuse this request',
    hint: lines(...hints, 'Nothing was sent.'),
  });
}

/** Before questions: not-found (4), ambiguous: usage (2), unknown word: refused (5). Unread: passes. */
export async function lookUpNamed(ctx: CommandContext, known: KnownOfBody, body: JsonObject): Promise<void> {
  for (const [path, collection] of Object.entries(known.references ?? {}))
    for (const word of wordsOf(memberAt(body, path)))
      await readRow(ctx, collection, word).catch((error: unknown) => {
        rethrowUnlessFailure(error, ctx);
        if (error.exit === EXIT.notFound || error.exit === EXIT.usage) throw error;
      });
  const refused = await refusalOfDryRun(ctx, known, body);
  if (refused !== undefined) throw refused;
}

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

const wordsOf = (member: Json | undefined): readonly string[] =>
  (arrayOf(member) ?? [member ?? null]).flatMap((each) => stringOf(each) ?? stringAt(each, 'id') ?? []);

/** None where the list cannot be read. */
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
