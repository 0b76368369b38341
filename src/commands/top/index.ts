import { defineCommand } from '../../cli/model/command.ts';
import { COUNT } from '../../cli/model/common-schemas.ts';
import { either, manyOf, mapOf, NUMBER, oneOf, orNull, ownObject, TEXT, TIME } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { SORTS } from './rows.ts';
import { usage } from '../../core/failure.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';

const [MAYBE, TOTAL] = [orNull(NUMBER), orNull(COUNT)];
const SHARED = {
  at: TIME,
  id: TEXT,
  name: TEXT,
  costPerHour: MAYBE,
  costToday: MAYBE,
  createdAt: orNull(TEXT),
  readSecondsAgo: MAYBE,
};

const TOP_ROWS = manyOf(
  either(
    ownObject({
      ...SHARED,
      kind: oneOf('pod'),
      status: TEXT,
      gpuUtil: MAYBE,
      gpuMemoryUtil: MAYBE,
      cpuUtil: MAYBE,
      memoryUtil: MAYBE,
    }),
    ownObject({
      ...SHARED,
      kind: oneOf('endpoint'),
      type: TEXT,
      inQueue: TOTAL,
      inProgress: TOTAL,
      workers: mapOf(NUMBER),
      completed: TOTAL,
      failed: TOTAL,
      completedPerMinute: MAYBE,
      failedPerMinute: MAYBE,
    }),
  ),
);

const KINDS = ['pods', 'endpoints'] as const;

export const top = defineCommand({
  output: TOP_ROWS,
  summary: 'watch all pods and endpoints: their use, queues, workers and cost',
  waits: true,
  details:
    'On a terminal it uses the whole screen until you press q; ? shows its keys. Each reading requests all pods at once and the health of at most eight endpoints; with more endpoints, those with jobs are read more often. Costs, workers with their prices and volumes are read once a minute. $/h is what the account costs now: pods, clusters, workers and volumes; of pods or endpoints alone, it is theirs. Container disks have no published price and are not in it; where anything else is not known it says at least. Stopped pods come last by cost. When little is left of a rate window, readings are less frequent. The age of the numbers is shown. $ today is what was billed since midnight UTC for the same; a pod of a cluster has none, because its cluster is billed. Without a terminal, --once prints one frame, and -o jsonl a line for each pod and endpoint at each reading, with the time as `at`.',
  args: { what: arg.optional('only pods, or only endpoints', { choices: KINDS }) },
  options: {
    once: option.on('print one frame, or with -o its rows, and end'),
    sort: option.choice('the order of the rows, the largest first, names from A to Z (default cost)', SORTS),
    interval: option.durationOr('time between two readings', 's', 2000, '2s'),
  },
  examples: [
    ['berth top', 'everything, live'],
    ['berth top pods --once', 'one frame, for a note or a mail'],
    ['berth top --sort use', 'the busiest first'],
    ['berth top --once -o jsonl', 'a line for each pod and endpoint'],
  ],
  run: async (ctx, { what, once, sort = 'cost', interval }) => {
    const shown = { pods: what !== 'endpoints', endpoints: what !== 'pods' };
    const isFrame = isTableOutput(ctx.output) && ctx.output.fields === undefined;
    if (once) return await (await import('./once.ts')).once(ctx, shown, sort, isFrame);
    if (!isFrame) return await (await import('./once.ts')).streamRows(ctx, shown, sort, interval);
    if (!ctx.terminal.output || !ctx.terminal.redraws)
      throw usage(
        ctx.terminal.output ? 'top needs a terminal that moves its cursor: TERM is "dumb"' : 'top needs a terminal',
        'Print one frame with --once, or the rows of every reading with -o jsonl.',
      );
    return await (await import('./live.ts')).live(ctx, shown, sort, interval);
  },
});
