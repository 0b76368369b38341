import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { missingShards, resultsArg } from './options.ts';
import { BATCH_REPORT } from './schemas.ts';
import { localFile, usage } from '../../core/failure.ts';

export const report = defineCommand({
  output: () => BATCH_REPORT,
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
    const [{ analyzeBatch }, { batchPorts }, { PAGE_BEGINNING, reportDocument, reportView }] = await Promise.all([
      import('../../batch/index.ts'),
      import('./ports.ts'),
      import('./report-document.ts'),
    ]);
    if (html !== undefined) await checkPageName(ctx, html, results, PAGE_BEGINNING);
    const analysis = await analyzeBatch(await batchPorts(ctx), results);
    if (html !== undefined) await ctx.files.write(html, (await import('./report-page.ts')).reportPage(analysis));
    const notes = [...missingShards(analysis), ...(html === undefined ? [] : [`wrote ${html}`])];
    return { kind: 'one', view: reportView(analysis), value: reportDocument(analysis), notes };
  },
});

/** Replaces an earlier page and an empty file, but no other file, also through a link. */
async function checkPageName(
  ctx: CommandContext,
  html: string,
  results: readonly string[],
  beginning: string,
): Promise<void> {
  const durable = await ctx.durable();
  const page = durable.absolute(html);
  if (results.some((name) => page === durable.absolute(name) || page.startsWith(`${durable.absolute(name)}.`)))
    throw usage('--html names a file of the batch itself', 'Name another file for the page.');
  const { path, kind } = await durable.resolve(html);
  if (kind !== 'file') return;
  for await (const chunk of durable.read(path, 0)) {
    if (new TextDecoder().decode(chunk.subarray(0, beginning.length)) === beginning) return;
    throw localFile(`${html} exists and is not the page of a batch`, 'Name another file: --html.');
  }
}
