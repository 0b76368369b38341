import { analyzeBatch, type BatchAnalysis } from '../../../../batch/index.ts';
import { usage } from '../../../../core/failure.ts';
import type { CommandContext } from '../../../../cli/context.ts';
import type { Result } from '../../../../output/view.ts';
import { usesStore } from '../uses-store.ts';
import { reportDocument } from './document.ts';
import { reportView } from './view.ts';

export interface ReportValues {
  readonly results: string;
  readonly html: string | undefined;
  readonly store: string | undefined;
  readonly s3Endpoint: string | undefined;
}

/**
 * Reports on a batch from its files. Sends nothing, and changes nothing except that `--html` writes the page. Fails with
 * local-file (14), and with usage (2) when the page would overwrite the results.
 */
export async function report(ctx: CommandContext, values: ReportValues): Promise<Result> {
  if (usesStore(ctx, values.store)) {
    const { analyze } = await import('../shared/report.ts');
    return await reportOf(ctx, values, await analyze(ctx, values));
  }
  return await reportOf(ctx, values, await analyzeBatch(await ctx.durable(), values.results, ctx.signal));
}

async function reportOf(
  ctx: CommandContext,
  { results, html }: ReportValues,
  analysis: BatchAnalysis,
): Promise<Result> {
  const durable = await ctx.durable();
  const value = reportDocument(analysis);
  const notes: string[] = [];
  if (html !== undefined) {
    const [page, own] = [durable.absolute(html), durable.absolute(results)];
    if (page === own || page.startsWith(`${own}.`))
      throw usage('--html names a file of the batch itself', 'Name another file for the page.');
    const { reportPage } = await import('./page.ts');
    await ctx.files.write(html, await reportPage(value));
    notes.push(`The page is in ${html}.`);
  }
  return { kind: 'one', view: reportView, value, notes };
}
