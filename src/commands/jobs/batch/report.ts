import { analyzeBatch } from '../../../batch/index.ts';
import { usage } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Result } from '../../../output/view.ts';
import { withBatch, type StoreValues } from './store/store.ts';
import { reportDocument } from './view/report-document.ts';
import { reportView } from './view/report-view.ts';

export interface ReportValues extends StoreValues {
  readonly results: string;
  readonly html: string | undefined;
}

/**
 * Reports on a batch from its store. Sends nothing, and changes nothing except that `--html` writes the page. Fails with
 * local-file (14), and with usage (2) when the page would overwrite the results.
 */
export async function report(ctx: CommandContext, values: ReportValues): Promise<Result> {
  const analysis = await withBatch(ctx, values, values.results, analyzeBatch);
  const { results, html } = values;
  const durable = await ctx.durable();
  const value = reportDocument(analysis);
  const notes: string[] = [];
  if (html !== undefined) {
    const [page, own] = [durable.absolute(html), durable.absolute(results)];
    if (page === own || page.startsWith(`${own}.`))
      throw usage('--html names a file of the batch itself', 'Name another file for the page.');
    const { reportPage } = await import('./view/report-page.ts');
    await ctx.files.write(html, await reportPage(analysis));
    notes.push(`The page is in ${html}.`);
  }
  return { kind: 'one', view: reportView(analysis), value, notes };
}
