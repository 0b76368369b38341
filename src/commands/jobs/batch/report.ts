import { analyzeBatch } from '../../../batch/index.ts';
import { usage } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Result } from '../../../output/view.ts';
import { refuseForeignFile } from '../../shared/refuse-foreign-file.ts';
import { batchPorts } from './ports.ts';
import { PAGE_TITLE, reportDocument } from './view/report-document.ts';
import { reportPage } from './view/report-page.ts';
import { reportView } from './view/report-view.ts';

interface ReportValues {
  readonly results: string;
  readonly html: string | undefined;
  readonly s3Endpoint: string | undefined;
}

/**
 * Reports on a batch from its files. Sends nothing, and changes nothing except that `--html` writes the page. Fails with
 * local-file (14), also where the page would replace what is no page of a batch, and with usage (2) where it would replace a file
 * of the batch.
 */
export async function report(ctx: CommandContext, values: ReportValues): Promise<Result> {
  const { results, html, s3Endpoint } = values;
  if (html !== undefined) await checkPageName(ctx, html, results);
  const analysis = await analyzeBatch(await batchPorts(ctx, s3Endpoint), results);
  const value = reportDocument(analysis);
  const notes: string[] = [];
  if (html !== undefined) {
    await ctx.files.write(html, reportPage(analysis));
    notes.push(`The page is in ${html}.`);
  }
  return { kind: 'one', view: reportView(analysis), value, notes };
}

async function checkPageName(ctx: CommandContext, html: string, results: string): Promise<void> {
  const durable = await ctx.durable();
  const [page, own] = [durable.absolute(html), durable.absolute(results)];
  if (page === own || page.startsWith(`${own}.`))
    throw usage('--html names a file of the batch itself', 'Name another file for the page.');
  const isOwn = (beginning: string): boolean => beginning.includes(`<title>${PAGE_TITLE}`);
  await refuseForeignFile(ctx, html, { isOwn, what: 'page of a batch', option: '--html' });
}
