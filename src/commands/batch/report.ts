import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { missingShards, resultsArg } from './options.ts';
import { BATCH_REPORT } from './schemas.ts';
import { localFile, usage } from '../../core/failure.ts';
import type { Bytes } from '../../core/unit-types.ts';

export const report = defineCommand({
  output: BATCH_REPORT,
  summary: 'report on a batch: counts, cost, times and failures by pattern',
  details:
    'Sends nothing; works while the batch runs. Failures are grouped by their error, with numbers, ids and paths masked. Quantiles are within 1%. Cost is that of execution, without idle and starting workers.',
  args: { results: resultsArg },
  options: { html: option.text('write a page with bars to this file', { metavar: 'FILE' }) },
  examples: [
    ['berth jobs batch report results.jsonl', 'counts, cost, times, and why items failed'],
    ['berth jobs batch report results.jsonl --html report.html', 'the same as a page'],
  ],
  run: async (ctx, { results, html }) => {
    const [{ analyzeBatch }, { batchPorts }, { PAGE_TITLE, reportDocument, reportView }] = await Promise.all([
      import('../../batch/index.ts'),
      import('./ports.ts'),
      import('./report-document.ts'),
    ]);
    for (const name of results) if (html !== undefined) await checkPageName(ctx, html, name, PAGE_TITLE);
    const analysis = await analyzeBatch(await batchPorts(ctx), results);
    if (html !== undefined) await ctx.files.write(html, (await import('./report-page.ts')).reportPage(analysis));
    const notes = [...missingShards(analysis), ...(html === undefined ? [] : [`wrote ${html}`])];
    return { kind: 'one', view: reportView(analysis), value: reportDocument(analysis), notes };
  },
});

const BEGINNING_BYTES: Bytes = 2048;

/** Replaces an earlier page and an empty file, but no other file, also through a link. */
async function checkPageName(ctx: CommandContext, html: string, results: string, title: string): Promise<void> {
  const durable = await ctx.durable();
  const [page, own] = [durable.absolute(html), durable.absolute(results)];
  if (page === own || page.startsWith(`${own}.`))
    throw usage('--html names a file of the batch itself', 'Name another file for the page.');
  const { path, kind } = await durable.resolve(html);
  if (kind === 'directory' || kind === 'other')
    throw localFile(`${html} is no file that can be written`, 'Name another one: --html.');
  if (kind !== 'file' || ((await durable.size(path)) ?? 0) === 0) return;
  if ((await beginningOf(durable.read(path, 0))).includes(`<title>${title}`)) return;
  throw localFile(`${html} exists and is not the page of a batch`, 'Name another file: --html.');
}

async function beginningOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const chunk of chunks) return new TextDecoder().decode(chunk.subarray(0, BEGINNING_BYTES));
  return '';
}
