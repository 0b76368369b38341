import { berth } from '../../core/message.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { stringAt } from '../../core/json.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { idsArgument, selectorOptions } from '../../cli/resource/arguments.ts';
import { choose } from '../../cli/resource/targets.ts';
import { run } from '../../cli/hint.ts';
import { type Log, LOG_DETAILS, LOG_LINES, LOG_OPTIONS, showLogs } from '../../cli/logs.ts';
import { PODS } from './fields.ts';
import { statusOf } from './reachable.ts';
import { readerOf } from './wait.ts';

export const logs = defineCommand({
  output: () => LOG_LINES,
  summary: "show pods' logs, or follow them",
  details: `${LOG_DETAILS} Lines of several pods begin with the pod's name.`,
  args: { id: idsArgument(PODS) },
  options: { ...LOG_OPTIONS, ...selectorOptions(PODS.table, 'pods') },
  examples: [
    ['berth pods logs train-llm --follow', 'the last 100 lines, then new ones as they are written'],
    ['berth pods logs pod-train pod-web --follow', 'two pods, each line with the name of its pod'],
    ["berth pods logs --match 'train-*' --times relative", 'every pod of that name, with ages for times'],
    [
      'berth pods logs train-llm --since 1h --source container -o jsonl',
      'the last hour of the container, one JSON a line',
    ],
  ],
  run: async (ctx, values) => {
    const { isSelected, targets } = await choose(ctx, PODS, values);
    const hint = run(berth`pods list`);
    if (targets.length === 0)
      throw new Failure({ code: 'no-match', exit: EXIT.notFound, message: 'no pod matches', hint });
    const pods = targets.map(({ word, row }) => logOf(ctx, word, stringAt(row, 'name') ?? word));
    const areSeveral = isSelected || pods.length > 1;
    const command = berth`pods logs ${targets.map(({ word }) => word)}`;
    return await showLogs(ctx, pods, values, areSeveral ? {} : { command });
  },
});

/** The container writes nothing (specification 3.1). In an unknown status it may write. */
const SILENT = ['EXITED', 'ERROR', 'TERMINATED'];

const logOf = (ctx: CommandContext, given: string, name: string): Log<'pod'> => ({
  lookup: PODS,
  given,
  name,
  stream: (id) => ({
    id,
    path: [...PODS.path, id, 'logs'],
    live: async () => !SILENT.includes(statusOf((await readerOf(ctx, id, true)()).value ?? null)),
  }),
});
