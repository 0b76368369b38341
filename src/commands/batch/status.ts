import { defineCommand, endedWhen } from '../../cli/model/command.ts';
import { option } from '../../cli/model/params.ts';
import { missingShards, resultsArg } from './options.ts';
import { BATCH_STATUS } from './schemas.ts';
import { batchView, shardMembers, summaryOf } from './summary-view.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { memberAt } from '../../core/json.ts';
import { sentence } from '../../core/message.ts';

export const status = defineCommand({
  output: () => BATCH_STATUS,
  summary: 'show the progress of a batch, from its journal only',
  details: 'Sends nothing and changes nothing, also while the batch runs. Times and errors: berth jobs batch report.',
  args: { results: resultsArg },
  options: { exitStatus: option.on('end 13 unless every item completed') },
  exits: [EXIT.batchIncomplete],
  watch: endedWhen((row) => memberAt(row, 'state') !== 'running'),
  examples: [['berth jobs batch status results.jsonl', 'what is done, what is left']],
  run: async (ctx, { results, exitStatus }) => {
    const [{ LOCAL_SERVICE, readStatus, resumeLine, sumOf }, { batchPorts }] = await Promise.all([
      import('../../batch/index.ts'),
      import('./ports.ts'),
    ]);
    const ports = await batchPorts(ctx);
    const parts = [];
    for (const name of results) parts.push(await readStatus(ports, name));
    const found = sumOf(parts);
    const { counts, missingShards: missing = [], shards = [found], state, holder, unordered, begunAt } = found;
    const toResume = shards.filter((shard) => shard.resumable && shard.state !== 'running');
    const isComplete = counts.completed === counts.planned && missing.length === 0;
    return {
      kind: 'one',
      view: batchView,
      value: {
        ...summaryOf(found),
        state,
        // Of the process that works on the batch.
        ...(holder === undefined ? {} : { pid: holder.pid, host: holder.host }),
        ...(unordered ? { unordered } : {}),
        begun: new Date(begunAt).toISOString(),
        ...shardMembers(found),
      },
      exit: exitStatus && !isComplete ? EXIT.batchIncomplete : EXIT.done,
      notes: [
        ...missingShards(found),
        ...toResume.map(({ service, name }) => sentence`Continue: ${resumeLine(service === LOCAL_SERVICE, name)}`),
      ],
    };
  },
});
