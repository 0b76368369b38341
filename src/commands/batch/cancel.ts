import { ask, requireYes } from '../../cli/ask.ts';
import { run } from '../../cli/hint.ts';
import { outcomesSchema } from '../../cli/model/output-schema.ts';
import { defineCommand, yesOption } from '../../cli/model/command.ts';
import { arg } from '../../cli/model/params.ts';
import { outcomeResult } from '../../cli/resource/several.ts';
import { eachOf } from '../../cli/resource/targets.ts';
import { countOf } from '../../cli/words.ts';
import { usage } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { jobOutcome, jobStatus } from '../../queue/job.ts';
import { cancelRequest } from '../../queue/requests.ts';

export const cancel = defineCommand({
  output: outcomesSchema,
  summary: 'cancel the jobs of a batch that are in flight',
  details: 'Stop the batch first, or it submits more. A resume fetches what became of the jobs.',
  args: { results: arg.text('results file of the batch', { complete: 'file' }) },
  options: { yes: yesOption },
  writes: true,
  destroys: false,
  examples: [['berth jobs batch cancel results.jsonl --yes', 'what is in flight, in a script']],
  run: async (ctx, { results }) => {
    requireYes(ctx);
    const [{ LOCAL_SERVICE, readStatus, resumeLine }, { batchPorts, serviceAddress }] = await Promise.all([
      import('../../batch/index.ts'),
      import('./ports.ts'),
    ]);
    const { status, journal } = await readStatus(await batchPorts(ctx), results);
    const inUse = await serviceAddress(ctx);
    if (inUse !== status.service)
      throw usage(`this batch was begun at ${status.service}, and the address in use is ${inUse}`);
    const { jobs, header } = journal;
    if (jobs.length > 0)
      await ask(ctx, { line: `${countOf(jobs.length, 'job')} will be cancelled, running ones included.` });
    const shownOf = ({ job }: (typeof jobs)[number]) => ({ id: job });
    const outcomes = await eachOf(ctx, jobs, shownOf, async ({ job }) => {
      const answer = await ctx.api.send(cancelRequest(asId(header.endpointId), job));
      const unchanged = jobOutcome(answer.value) !== 'cancelled';
      return { id: job, status: jobStatus(answer.value), unchanged, answer };
    });
    const resume = run(resumeLine(status.service === LOCAL_SERVICE, status.name));
    const notes = outcomes.length === 0 ? ['no job in flight: nothing cancelled'] : [resume];
    return { ...outcomeResult(ctx, 'job', outcomes, 'cancelled'), notes };
  },
});
