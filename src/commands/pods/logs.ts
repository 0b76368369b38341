import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { memberAt, stringOf } from '../../core/json.ts';
import { defineCommand } from '../../cli/command.ts';
import type { CommandContext } from '../../cli/context.ts';
import { pickRow } from '../../cli/resource/identity/pick-row.ts';
import { arg } from '../../cli/parse/params.ts';
import { LOG_DETAILS, LOG_OPTIONS, showLogs } from '../shared/logs/index.ts';
import { PODS } from './resource.ts';

export const logs = defineCommand({
  summary: "show a pod's log, or follow it",
  details: LOG_DETAILS,
  args: { id: arg.text('pod id or name', { metavar: 'POD', ask: pickRow(PODS) }) },
  options: LOG_OPTIONS,
  examples: [
    ['berth pods logs POD --follow', 'the last 100 lines, then new ones as they are written'],
    ['berth pods logs POD --since 1h --source container -o jsonl', 'the last hour of the container, one JSON a line'],
  ],
  run: (ctx, values) =>
    showLogs(
      ctx,
      {
        lookup: PODS,
        given: values.id,
        stream: (id) => ({ id, path: [...PODS.path, id, 'logs'], live: () => isLive(ctx, id) }),
        words: ['pods', 'logs', values.id],
      },
      values,
    ),
});

/** Statuses in which a container writes nothing (specification 3.1). In an unknown status it may write. */
const SILENT = ['EXITED', 'ERROR', 'TERMINATED'];

async function isLive(ctx: CommandContext, id: Id<'pod'>): Promise<boolean> {
  try {
    const { value } = await ctx.api.send({ service: 'base', method: 'GET', path: [...PODS.path, id], id });
    return !SILENT.includes(stringOf(memberAt(value, 'status')) ?? '');
  } catch (error) {
    if (error instanceof Failure && error.exit === EXIT.notFound) return false;
    throw error;
  }
}
