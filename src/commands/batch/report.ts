import { analyzeBatch } from '../../batch/index.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { batchPorts } from './ports.ts';
import { PAGE_TITLE, reportDocument, reportView } from './report-document.ts';
import { reportPage } from './report-page.ts';
import { localFile, usage } from '../../core/failure.ts';
import type { Bytes } from '../../core/unit-types.ts';
import type { Result } from '../../output/view.ts';

interface ReportValues {
  readonly results: string;
  readonly html: string | undefined;
}

/**
 * Reports on a batch from its files. Sends nothing, and changes nothing except that `--html` writes the page. Fails with
 * local-file (14), also where the page would replace what is no page of a batch, and with usage (2) where it would replace a file
 * of the batch.
 */
export async function report(ctx: CommandContext, values: ReportValues): Promise<Result> {
  const { results, html } = values;
  if (html !== undefined) await checkPageName(ctx, html, results);
  const analysis = await analyzeBatch(await batchPorts(ctx), results);
  const value = reportDocument(analysis);
  const notes: string[] = [];
  if (html !== undefined) {
    await ctx.files.write(html, reportPage(analysis));
    notes.push(`The page is in ${html}.`);
  }
  return { kind: 'one', view: reportView(analysis), value, notes };
}

const BEGINNING_BYTES: Bytes = 2048;

/** Refuses to write over a file of the batch, and over a file that is no page of a batch, also through a link. An empty file is none. */
async function checkPageName(ctx: CommandContext, html: string, results: string): Promise<void> {
  const durable = await ctx.durable();
  const [page, own] = [durable.absolute(html), durable.absolute(results)];
  if (page === own || page.startsWith(`${own}.`))
    throw usage('--html names a file of the batch itself', 'Name another file for the page.');
  const { path, kind } = await durable.resolve(html);
  if (kind === 'directory' || kind === 'other')
    throw localFile(`${html} is no file that can be written`, 'Name another one: --html.');
  if (kind !== 'file' || ((await durable.size(path)) ?? 0) === 0) return;
  if ((await beginningOf(durable.read(path, 0))).includes(`<title>${PAGE_TITLE}`)) return;
  throw localFile(`${html} exists already, and is no page of a batch: it stays as it is`, 'Name another file: --html.');
}

async function beginningOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const chunk of chunks) return new TextDecoder().decode(chunk.subarray(0, BEGINNING_BYTES));
  return '';
}
