import { either, manyOf, outcomeSchema, type OutputSchema } from '../model/output-schema.ts';
import type { CommandContext } from '../model/context.ts';
import { textColumn } from './fields.ts';
import { pluralOf } from '../words.ts';
import type { ApiAnswer } from '../../core/api.ts';
import type { SettingsView } from '../../core/context.ts';
import { EXIT, worstExit } from '../../core/exit-codes.ts';
import { Failure, printedFacts, rethrowUnlessFailure } from '../../core/failure.ts';
import { type Json, memberAt } from '../../core/json.ts';
import { text } from '../../output/cells.ts';
import { isJsonFormat, isTableOutput } from '../../output/formats/format-table.ts';
import { answerResult, type Cell, idOf, type Result, type View } from '../../output/view.ts';

/** How it went with one of several. */
export interface Outcome {
  /** If unknown, the word that the user entered. */
  readonly id: string;
  readonly name?: string | undefined;
  readonly status?: string | undefined;
  /** Nothing was done: it already was as asked. */
  readonly unchanged?: boolean | undefined;
  readonly failure?: Failure | undefined;
  readonly answer?: ApiAnswer | undefined;
}

/** With the code of the worst; undefined if none failed. `total`: how many, where only some are given. */
export function combinedFailure(
  ended: readonly Pick<Outcome, 'id' | 'failure'>[],
  total = ended.length,
): Failure | undefined {
  const failed = ended.flatMap(({ id, failure }) => (failure === undefined ? [] : [{ id, failure }]));
  const exit = worstExit(failed.map(({ failure }) => failure.exit));
  const worst = failed.find(({ failure }) => failure.exit === exit)?.failure;
  if (worst === undefined || total === 1) return worst;
  // Of several, others may have changed.
  const hint = typeof worst.hint === 'string' ? worst.hint.replace(/^Nothing changed\. /, '') : worst.hint;
  return new Failure({
    code: worst.code,
    exit,
    message: `${failed.length} of ${total} did not go through`,
    hint,
    errors: failed.map(({ id, failure }) => `${id}: ${[failure.message, ...(failure.errors ?? [])].join('; ')}`),
  });
}

export const SEVERAL = 'Several ids give an outcome each, and the worst exit code.';

/** `{"id","name"?,"ok","status"?,"unchanged"?,"error"?}`; the same error as `--json` prints on stderr. */
export const outcomeRow = (
  { settings }: Pick<CommandContext, 'settings'>,
  { id, name, status, unchanged, failure }: Outcome,
): Json => ({
  id,
  ...(name === undefined ? {} : { name }),
  ok: failure === undefined,
  ...(status === undefined ? {} : { status }),
  ...(unchanged === true ? { unchanged } : {}),
  ...(failure === undefined ? {} : { error: errorOf(failure, settings) }),
});

export function errorOf(failure: Failure, settings: SettingsView): Json {
  const { exit: _, ...error } = printedFacts(failure.facts(), settings);
  return error;
}

const resultOf = (row: Json, done: string): Cell => {
  if (memberAt(row, 'ok') !== true) return { text: 'failed', tone: 'bad' };
  return memberAt(row, 'unchanged') === true ? { text: 'unchanged', tone: 'quiet' } : { text: done, tone: 'good' };
};

const outcomeView = (noun: string, done: string): View => ({
  noun: [noun, pluralOf(noun)],
  id: idOf,
  members: ['id', 'name', 'ok', 'status', 'unchanged', 'error'],
  columns: [
    textColumn('id', { cutLast: true }),
    { header: 'RESULT', show: (row) => resultOf(row, done), cutLast: true },
    { header: 'ERROR', show: (row) => text(row, 'error.message') },
  ],
});

/** A row for each, in order given; `-o id` prints only successes. Fails with the worst failure. */
export function outcomeResult(
  ctx: CommandContext,
  noun: string,
  outcomes: readonly Outcome[],
  done: string,
): Extract<Result, { kind: 'many' | 'nothing' }> {
  const failure = combinedFailure(outcomes);
  // An empty table would say that there are none of the noun, which is unknown here.
  if (outcomes.length === 0 && isTableOutput(ctx.output)) return { kind: 'nothing' };
  const shown = ctx.output.format === 'id' ? outcomes.filter((each) => each.failure === undefined) : outcomes;
  return { kind: 'many', view: outcomeView(noun, done), values: shown.map((each) => outcomeRow(ctx, each)), failure };
}

export const READS_SEVERAL = 'Several ids give an array with --json, and the worst exit code.';

export const eachSchema = (row: OutputSchema): OutputSchema => either(row, manyOf(either(outcomeSchema(), row)));

interface Reading {
  readonly view: View;
  readonly read: (word: string) => Promise<ApiAnswer>;
  readonly outcome: (row: Json) => Pick<Result, 'exit' | 'notes'>;
  /** In a watch only a 404 is left out; any other failure is thrown. */
  readonly watched: boolean;
}

/** One word gives its document, several a row each (JSON: an outcome if unread). Failures are thrown last. */
export async function readEach(
  ctx: CommandContext,
  words: readonly string[],
  { view, read, outcome, watched }: Reading,
): Promise<Result> {
  const [only, ...others] = words;
  if (only !== undefined && others.length === 0) {
    const answer = await read(only);
    return { ...answerResult(view, answer), ...outcome(answer.value ?? null) };
  }
  const ended: Outcome[] = [];
  for (const id of words)
    try {
      ended.push({ id, answer: await read(id) });
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      if (watched && error.exit !== EXIT.notFound) throw error;
      ended.push({ id, failure: error });
    }
  const failure = combinedFailure(ended);
  const rows = ended.flatMap(({ answer }) => answer?.value ?? []);
  if (failure !== undefined && rows.length === 0) throw failure;
  const outcomes = rows.map((row) => outcome(row));
  const exit = worstExit([...outcomes.map((each) => each.exit ?? EXIT.done), failure?.exit ?? EXIT.done]);
  const all = ended.map((each) => each.answer?.value ?? outcomeRow(ctx, each));
  return {
    kind: 'many',
    view,
    values: isJsonFormat(ctx.output.format) ? all : rows,
    exit,
    notes: outcomes.flatMap((each) => each.notes ?? []),
    failure: failure?.with({ exit }),
  };
}
