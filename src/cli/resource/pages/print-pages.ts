import { areKnownFields } from '../../../output/fields/check-fields.ts';
import { isPrintedByPage } from '../../../output/formats/format-table.ts';
import type { Result, View } from '../../../output/view.ts';
import type { CommandContext } from '../../model/context.ts';
import type { WantedPage } from './wanted-pages.ts';

/**
 * Whether the rows of a list can be printed before all of them are read. Only a list of several pages is; a wrong name in
 * `--fields` is refused before anything is printed, so names that the first page does not settle wait for the others.
 */
export const mayPrintPages = (ctx: CommandContext, view: View, { rows, hasMore }: WantedPage): boolean =>
  hasMore &&
  isPrintedByPage(ctx.output, ctx.terminal.output) &&
  // A table of one column has a header only where all its rows are known.
  ctx.output.fields?.length !== 1 &&
  areKnownFields(view, rows, ctx.output.fields);

/**
 * Prints each page as it comes. Returns the last page, and what is left to print. Fails as the pages do: what was printed
 * before is then a part of the list.
 */
export async function printPages(
  ctx: CommandContext,
  view: View,
  pages: AsyncIterable<WantedPage>,
): Promise<{ readonly last: WantedPage | undefined; readonly result: Result }> {
  const writer = ctx.rows(view);
  let last: WantedPage | undefined;
  let isEmpty = true;
  for await (const page of pages) {
    await writer.rows(page.rows);
    isEmpty &&= page.rows.length === 0;
    last = page;
  }
  if (isEmpty) return { last, result: { kind: 'many', view, values: [] } };
  await writer.close();
  return { last, result: { kind: 'nothing' } };
}
