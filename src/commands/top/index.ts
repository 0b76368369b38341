import { defineCommand } from '../../cli/model/command.ts';
import {
  COUNT,
  either,
  manyOf,
  mapOf,
  NUMBER,
  oneOf,
  orNull,
  ownObject,
  TEXT,
  TIME,
} from '../../cli/model/output-schema.ts';
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
  output: () => TOP_ROWS,
  summary: 'watch all pods and endpoints: their use, queues, workers and cost',
  waits: true,
  details:
    'On a terminal it fills the screen until q; its last line names the keys. $/h and $ today are those of the account, or of the pods or endpoints alone. Elsewhere --once prints one frame, -o jsonl a line a row at each reading.',
  args: { what: arg.optional('only pods, or only endpoints', { choices: KINDS }) },
  options: {
    once: option.on('print one frame, or with -o its rows, and end'),
    sort: option.choice('order of the rows (default cost)', SORTS),
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
    const top = await import('./live.ts');
    if (once) return await top.once(ctx, shown, sort, isFrame);
    if (!isFrame) return await top.streamRows(ctx, shown, sort, interval);
    if (!ctx.terminal.output || !ctx.terminal.redraws)
      throw usage(
        ctx.terminal.output ? 'top needs a terminal that moves its cursor: TERM is "dumb"' : 'top needs a terminal',
        'Print one frame with --once, or the rows of every reading with -o jsonl.',
      );
    return await top.live(ctx, shown, sort, interval);
  },
});
