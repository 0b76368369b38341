import { berth, sentence } from '../../core/message.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { isUsableId } from '../../core/ids.ts';
import { itemsAt } from '../../core/json.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg } from '../../cli/model/params.ts';
import { text } from '../../output/cells.ts';
import { ENDPOINT_ARGUMENT, ENDPOINTS } from '../../cli/resource/collections.ts';
import { LOG_DETAILS, LOG_LINES, LOG_OPTIONS, showLogs } from '../../cli/logs.ts';
import { listWorkers } from './workers.ts';
import { idOf } from '../../output/view.ts';

export const logs = defineCommand({
  output: LOG_LINES,
  summary: 'show what a worker of an endpoint writes',
  details: `Name a worker if there are several. ${LOG_DETAILS}`,
  args: {
    id: ENDPOINT_ARGUMENT,
    worker: arg.optional('worker id'),
  },
  options: LOG_OPTIONS,
  examples: [
    ['berth endpoints logs captions --follow', 'lines as they are written'],
    ['berth endpoints logs captions -o jsonl', 'the last lines of the only worker, as they came'],
  ],
  run: async (ctx, values) => {
    const { id: endpoint, worker } = values.worker === undefined ? await onlyWorker(ctx, values.id) : values;
    const chosen = worker ?? '';
    return await showLogs(
      ctx,
      {
        lookup: ENDPOINTS,
        given: endpoint,
        command: berth`endpoints logs ${endpoint} ${chosen}`,
        stream: (id) => ({
          id,
          path: [...ENDPOINTS.path, id, 'workers', chosen, 'logs'],
          live: async () => (await listWorkers(ctx, id)).workers.some((row) => idOf(row) === chosen),
        }),
      },
      values,
    );
  },
});

const MAX_NAMED = 3;

/** Without workers the last ended one. Not-found (4) if none; several without a terminal: usage (2). */
async function onlyWorker(
  ctx: CommandContext,
  endpoint: string,
): Promise<{ readonly id: string; readonly worker: string }> {
  const { id, list, workers } = await listWorkers(ctx, endpoint);
  const [only, ...others] = workers;
  if (only === undefined) {
    const [last = '', ...earlier] = itemsAt(list.document, 'ended').map(idOf).filter(isUsableId);
    if (last !== '') {
      const rest = earlier.length === 0 ? '' : ` Earlier ones: ${earlier.slice(0, MAX_NAMED).join(', ')}.`;
      await ctx.tell(`Endpoint ${endpoint} has no workers now. This is the log of ${last}, which has ended.${rest}`);
      return { id, worker: last };
    }
    throw new Failure({
      code: 'no-worker',
      exit: EXIT.notFound,
      message: `endpoint ${endpoint} has no workers now`,
      hint: sentence`Workers start when jobs wait, unless --workers-min keeps some. See ${berth`endpoints workers ${endpoint}`}.`,
      id,
    });
  }
  if (others.length === 0) return { id, worker: idOf(only) };
  if (!ctx.terminal.canAsk) throw usage('missing WORKER', `One of: ${workers.map(idOf).join(', ')}`);
  const choices = workers.map((row) => ({
    name: `${idOf(row)}  ${text('status')(row)}  ${text('gpuTypeId')(row)}`,
    value: idOf(row),
  }));
  return { id, worker: await ctx.prompts.select('Worker', choices) };
}
