/** The verbs that read, each made from a Resource in a line. What does not fit a line is code of the noun. */
import type { Json } from '../../core/json.ts';
import type { Result } from '../../output/view.ts';
import type { Query } from '../model/collection.ts';
import { type Command, type CommandWords, defineCommand, type Values, type WatchSpec } from '../model/command.ts';
import type { Params, ValuesOf } from '../model/params.ts';
import { pluralOf, withArticle } from '../words.ts';
import { listCommand, type ListSpec } from './list.ts';
import { idsOnlyArgument, rowSchema } from './read.ts';
import { eachSchema, readEach, READS_SEVERAL } from './several.ts';
import { readRow, type Resource } from './targets.ts';

export { defineGroup as noun } from '../model/command.ts';

export type NounWords = Partial<CommandWords>;

/** `berth NOUN list`: every page, or an error. */
export const list = <const O extends Params>(
  of: Resource,
  spec: NounWords & Omit<ListSpec<O>, 'summary'> = {},
): Command => listCommand<O>(of, { summary: `list ${pluralOf(of.noun)}`, ...spec });

/** `berth NOUN get ID...`: one row in detail, or several as a list. */
export function get<const O extends Params>(
  of: Resource,
  spec: NounWords & {
    readonly options?: O;
    readonly watch?: true | WatchSpec;
    readonly exits?: Command['exits'];
    readonly query?: (values: ValuesOf<O>) => Query;
    /** An exit code or a note by what the row says. */
    readonly outcome?: (row: Json, values: ValuesOf<O>) => Pick<Result, 'exit' | 'notes'>;
  } = {},
): Command {
  const { outcome, query, ...words } = spec;
  return defineCommand({
    summary: `show ${withArticle(of.noun)}`,
    ...words,
    details: [words.details, READS_SEVERAL].filter(Boolean).join(' '),
    fields: of.view.paths,
    output: eachSchema(rowSchema(of)),
    args: { id: idsOnlyArgument(of) },
    run: async (ctx, values) => {
      const given = values as unknown as ValuesOf<O>;
      return await readEach(ctx, values.id, {
        view: of.view,
        read: (word) => readRow(ctx, of, word, query?.(given)),
        outcome: (row) => outcome?.(row, given) ?? {},
        watched: (values as Values)['watch'] === true,
      });
    },
  });
}
