import { defineCommand } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { failedOkOption, RESUBMIT_STATES, settingOptions, settingsOf, statesOf } from './options.ts';
import { BATCH_END, RUN_EXITS } from './schemas.ts';

export const resume = defineCommand({
  output: () => BATCH_END,
  summary: 'continue a batch after any interruption',
  changesMachine: true,
  needs: 'write',
  details:
    'Submitted items are not sent again, unless --resubmit says so; an expired or unknown item may then run twice. Limits and job options of earlier runs are kept.',
  args: { results: arg.text('results file of the batch', { complete: 'file' }) },
  options: {
    input: option.texts('where the input is now, if moved; several in their order', {
      metavar: 'FILE',
      complete: 'file',
    }),
    resubmit: option.list('send items in these states again', {
      metavar: 'STATE',
      choices: Object.keys(RESUBMIT_STATES),
    }),
    failedOk: failedOkOption,
    ...settingOptions,
  },
  costs: true,
  waits: true,
  notifies: true,
  exits: RUN_EXITS,
  examples: [
    ['berth jobs batch resume results.jsonl', 'continue'],
    ['berth jobs batch resume results.jsonl --retry-failed 2', 'and retry jobs that fail from here on, twice at most'],
    ['berth jobs batch resume results.jsonl --resubmit failed', 'new jobs for those that failed'],
  ],
  run: async (ctx, values) => {
    const settings = settingsOf(values);
    const resubmit = statesOf(RESUBMIT_STATES, values.resubmit);
    const [{ resumeBatch }, { batchPorts, serviceAddress }, { viewOf }, { batchResult }] = await Promise.all([
      import('../../batch/index.ts'),
      import('./ports.ts'),
      import('./progress.ts'),
      import('./end.ts'),
    ]);
    const options = { settings, service: () => serviceAddress(ctx), input: values.input, resubmit };
    const ended = await resumeBatch(await batchPorts(ctx), values.results, options, viewOf(ctx));
    return batchResult(ctx, ended, values);
  },
});
