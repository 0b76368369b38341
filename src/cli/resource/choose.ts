import { type Failure, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { type Json, stringAt } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { idOf, type Result } from '../../output/view.ts';
import type { CommandContext } from '../model/context.ts';
import { flagName, isGiven } from '../model/params.ts';
import { countOf, pluralOf } from '../words.ts';
import { unlessUnread } from '../run/dry-run.ts';
import { readRow } from './identify.ts';
import { listRows } from './requests.ts';
import type { Resource } from './read.ts';
import { outcomeResult } from './several.ts';
import type { RowFilter } from '../../core/patterns.ts';
import { compileFilter, SELECTOR_KEYS } from './selectors.ts';

export interface ChoiceValues extends RowFilter {
  readonly id: readonly string[];
  readonly all: boolean;
}

export interface Target {
  readonly word: string;
  /** Absent if it was not read. */
  readonly row?: Json;
  readonly failure?: Failure;
}

export interface Chosen {
  readonly bySelector: boolean;
  readonly targets: readonly Target[];
  /** Selected, but cannot be acted on. */
  readonly leftOut: readonly Json[];
}

const givenSelectors = (values: ChoiceValues): readonly string[] => SELECTOR_KEYS.filter((key) => isGiven(values[key]));

export const hasSelector = (values: ChoiceValues): boolean => givenSelectors(values).length > 0;

const MAX_NAMED = 10;

/** One read of the list; acts on ids even if names change. `exclude` says why a row is left out. Usage (2). */
export async function selectTargets(
  ctx: CommandContext,
  resource: Resource,
  values: ChoiceValues,
  exclude: (rows: readonly Json[]) => Promise<ReadonlyMap<string, string>> = () => Promise.resolve(new Map()),
): Promise<Chosen> {
  const given = givenSelectors(values);
  const [other] = given.filter((key) => key !== 'all');
  if (values.all && other !== undefined)
    throw usage(`--all and ${flagName(other)} exclude each other`, `--all takes every ${resource.noun}: keep one.`);
  const isWanted = compileFilter(resource.table, values);
  const { values: rows } = await listRows(ctx, resource);
  const now = ctx.serviceNow();
  const wanted = rows.filter((row) => stringAt(row, 'id') !== undefined && isWanted(row, now));
  const reasons = await exclude(wanted);
  const targets = wanted.flatMap((row) => (reasons.has(idOf(row)) ? [] : [{ word: idOf(row), row }]));
  for (const { word } of targets) ctx.ids.set(resource, word, asId(word));
  const sentences = [...reasons.values()];
  for (const reason of sentences.slice(0, MAX_NAMED)) await ctx.tell(`Left out: ${reason}.`);
  if (sentences.length > MAX_NAMED)
    await ctx.tell(`Left out: ${countOf(sentences.length - MAX_NAMED, `more ${resource.noun}`)}.`);
  return { bySelector: true, targets, leftOut: wanted.filter((row) => reasons.has(idOf(row))) };
}

/** `pod-train (train-llm)`. */
export const labelOf = (row: Json | undefined): string => safeText(`${idOf(row)} (${stringAt(row, 'name') ?? '-'})`);

/** One request per row. A failure belongs to its word; an interrupt ends the command. Unread dry run: word. */
export const readTargets = async (
  ctx: CommandContext,
  resource: Resource,
  words: readonly string[],
): Promise<readonly Target[]> =>
  withoutRepeated(
    await Promise.all(
      words.map(async (word): Promise<Target> => {
        try {
          const found = await unlessUnread(ctx, () => readRow(ctx, resource, word));
          return found === undefined ? { word } : { word, row: found.answer.value ?? null };
        } catch (error) {
          rethrowUnlessFailure(error, ctx);
          return { word, failure: error };
        }
      }),
    ),
  );

/** The id and the name of one thing may both be given. */
const withoutRepeated = (targets: readonly Target[]): readonly Target[] =>
  targets.filter(
    ({ row }, at) => idOf(row) === '' || targets.findIndex((other) => idOf(other.row) === idOf(row)) === at,
  );

/** An empty list and a line that says so. Exit code 0. */
export const nothingSelected = (ctx: CommandContext, resource: Resource, verb: string): Result => ({
  ...outcomeResult(ctx, resource.noun, [], verb),
  notes: [`No ${safeText(resource.noun)} to be ${verb}: the selectors pick none of the ${pluralOf(resource.noun)}.`],
});
