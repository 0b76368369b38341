import type { ApiAnswer } from '../../../core/api.ts';
import { EXIT, worstExit } from '../../../core/exit-codes.ts';
import { rethrowUnlessFailure, type Failure } from '../../../core/failure.ts';
import type { Json } from '../../../core/json.ts';
import { isJsonFormat } from '../../../output/formats/format-table.ts';
import { answerResult, type Result, type View } from '../../../output/view.ts';
import type { CommandContext } from '../../model/context.ts';
import { OUTCOME } from '../../model/common-schemas.ts';
import { either, manyOf, type OutputSchema } from '../../model/output-schema.ts';
import { combinedFailure } from './combined-failure.ts';
import { outcomeRow } from './outcomes.ts';

/** A sentence in the help of every command that reads several ids. */
export const READS_SEVERAL =
  'With several ids, --json prints an array and -o jsonl a line for each; one that could not be read has {"id","ok","error"} in its place, and the exit code is the worst one.';

/** What a command with `readEach` prints, whose rows are `row`. */
export const eachSchema = (row: OutputSchema): OutputSchema => either(row, manyOf(either(OUTCOME, row)));

interface Reading {
  readonly view: View;
  readonly read: (word: string) => Promise<ApiAnswer>;
  /** The exit code and notes of a row. */
  readonly outcome?: (row: Json) => Pick<Result, 'exit' | 'notes'>;
  /** The command is repeated: only what is gone (404) is left out, another failure is thrown. */
  readonly watched: boolean;
}

/**
 * Reads what the words name, one after the other. One word gives its document. Several give a row each, in the order
 * given: the document, or for one that could not be read an outcome (`id`, `ok`, `error`), which only JSON prints. The
 * failures are thrown as one after the output; if all failed, and in table formats, nothing else is printed of them.
 */
export async function readEach(
  ctx: CommandContext,
  words: readonly string[],
  { view, read, outcome, watched }: Reading,
): Promise<Result> {
  const [only, ...others] = words;
  if (only !== undefined && others.length === 0) {
    const answer = await read(only);
    return { ...answerResult(view, answer), ...outcome?.(answer.value ?? null) };
  }
  const ended: { readonly id: string; readonly row?: Json; readonly failure?: Failure }[] = [];
  for (const id of words)
    try {
      ended.push({ id, row: (await read(id)).value ?? null });
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      if (watched && error.exit !== EXIT.notFound) throw error;
      ended.push({ id, failure: error });
    }
  const failure = combinedFailure(ended);
  const rows = ended.flatMap(({ row }) => (row === undefined ? [] : [row]));
  if (failure !== undefined && rows.length === 0) throw failure;
  const outcomes = rows.flatMap((row) => outcome?.(row) ?? []);
  const exit = worstExit([...outcomes.map((each) => each.exit ?? EXIT.done), ...(failure ? [failure.exit] : [])]);
  const values = isJsonFormat(ctx.output.format) ? ended.map(({ row, ...rest }) => row ?? outcomeRow(ctx, rest)) : rows;
  const notes = outcomes.flatMap((each) => each.notes ?? []);
  return { kind: 'many', view, values, exit, notes, failure: failure?.with({ exit }) };
}
