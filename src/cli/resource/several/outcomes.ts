import { printedFacts, type Failure } from '../../../core/failure.ts';
import type { SettingsView } from '../../../core/context.ts';
import { type Json, memberAt, stringAt } from '../../../core/json.ts';
import { isTableOutput } from '../../../output/formats/format-table.ts';
import { text } from '../../../output/cells/cell-functions.ts';
import { idOf, type Result, type View } from '../../../output/view.ts';
import type { CommandContext } from '../../model/context.ts';
import { pluralOf } from '../../words/words.ts';
import { combinedFailure } from './combined-failure.ts';
import { textColumn } from '../fields/detail-lines.ts';

/** A sentence in the help of every command that accepts several ids. */
export const SEVERAL =
  'With several ids, the output has an outcome for each ({"id","name"?,"ok","status"?,"unchanged"?,"error"?} with --json), and the exit code is the worst one.';

/** The outcome of one of several requests. */
export interface Outcome {
  /** Its id; if that is not known, the word that the user entered. */
  readonly id: string;
  /** Its name, where that was read. */
  readonly name?: string | undefined;
  /** Its status after the request, where the answer has one. */
  readonly status?: string | undefined;
  /** True when nothing was done to it, because it was as asked before. */
  readonly unchanged?: boolean | undefined;
  readonly failure?: Failure | undefined;
}

/** `{"id","name"?,"ok","status"?,"unchanged"?,"error"?}`; the error is the one that a failed command prints with `--json`. */
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

/** The error of a failure as JSON. */
export function errorOf(failure: Failure, settings: SettingsView): Json {
  const { exit: _, ...error } = printedFacts(failure.facts(), settings);
  return error as unknown as Json;
}

/** The outcomes as a table; `done` is the participle of what was done: `stopped`. */
const outcomeView = (noun: string, done: string): View => ({
  noun: [noun, pluralOf(noun)],
  id: idOf,
  members: ['id', 'name', 'ok', 'status', 'unchanged', 'error'],
  columns: [
    textColumn('id', { cutLast: true }),
    {
      header: 'RESULT',
      show: (row) =>
        memberAt(row, 'ok') === true
          ? memberAt(row, 'unchanged') === true
            ? { text: 'unchanged', tone: 'quiet' }
            : { text: done, tone: 'good' }
          : stringAt(row, 'error.code') === 'not-sent'
            ? { text: 'not sent', tone: 'quiet' }
            : { text: 'failed', tone: 'bad' },
      cutLast: true,
    },
    { header: 'ERROR', show: text('error.message') },
  ],
});

/**
 * The result of a command that acted on several: a row for each, in the order given, also for those that failed; `-o
 * id` prints only those that succeeded. It fails with the worst of the failures.
 */
export function outcomeResult(
  ctx: CommandContext,
  noun: string,
  outcomes: readonly Outcome[],
  done: string,
): Extract<Result, { kind: 'many' | 'nothing' }> {
  const failure = combinedFailure(outcomes);
  // An empty table says that there are none of the noun, which is not known here.
  if (outcomes.length === 0 && isTableOutput(ctx.output)) return { kind: 'nothing' };
  const shown = ctx.output.format === 'id' ? outcomes.filter((each) => each.failure === undefined) : outcomes;
  return { kind: 'many', view: outcomeView(noun, done), values: shown.map((each) => outcomeRow(ctx, each)), failure };
}
