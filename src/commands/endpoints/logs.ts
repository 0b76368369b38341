import { berth, sentence } from '../../core/message.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { isUsableId } from '../../core/ids.ts';
import { itemsAt } from '../../core/json.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg } from '../../cli/model/params.ts';
import { text } from '../../output/cells/cell-functions.ts';
import { ENDPOINTS, ENDPOINT_ARGUMENT } from '../shared/collections.ts';
import { LOG_DETAILS, LOG_OPTIONS, showLogs } from '../shared/logs/index.ts';
import { listWorkers } from './workers.ts';
import { idOf } from '../../output/view.ts';
import { LOG_LINES } from '../shared/logs/log-view.ts';

/** `berth endpoints logs ID [WORKER]`: the log of one worker. */
export const logs = defineCommand({
  output: LOG_LINES,
  summary: 'show what a worker of an endpoint writes',
  details: `If there is one worker, you need not name it. If there are several, you choose one on a terminal. Without workers, the local service shows the log of the one that ended last. ${LOG_DETAILS}`,
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

/** How many workers that have ended are named beside the one whose log is shown. */
const MAX_NAMED = 3;

/**
 * The only worker of an endpoint, or the one that the user picks; without workers the one that ended last, where the service
 * names it. Fails with not-found (4) where there is none, and with usage (2) where there are several and no terminal.
 */
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
