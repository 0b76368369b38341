import { type Failure, usage } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { type Json, stringAt } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { idOf } from '../../output/view.ts';
import type { CommandContext } from '../model/context.ts';
import { flagName, isGiven } from '../model/params.ts';
import { countOf } from '../words.ts';
import { listRows } from './requests.ts';
import type { Resource } from './targets.ts';
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
