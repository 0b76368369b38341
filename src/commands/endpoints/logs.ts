import { berth, sentence } from '../../core/message.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { asId, isUsableId } from '../../core/ids.ts';
import { itemsAt } from '../../core/json.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg } from '../../cli/model/params.ts';
import { endpointArgument } from '../../cli/resource/arguments.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { type Log, LOG_DETAILS, LOG_LINES, LOG_OPTIONS, showLogs } from '../../cli/logs.ts';
import { listWorkers } from './workers.ts';
import { idOf } from '../../output/view.ts';

export const logs = defineCommand({
  output: () => LOG_LINES,
  summary: 'show what the workers of an endpoint write',
  details: `Without WORKER all of them, each line with its worker; --follow adds new workers. ${LOG_DETAILS}`,
  args: {
    id: endpointArgument(),
    worker: arg.optional('worker id'),
  },
  options: LOG_OPTIONS,
  examples: [
    ['berth endpoints logs captions --follow', 'lines of all workers as they are written'],
    ['berth endpoints logs captions --since 1h --search error', 'lines of the last hour that contain error'],
  ],
  run: async (ctx, values) => {
    const showOne = (id: string, worker: string) =>
      showLogs(ctx, [logOf(ctx, id, worker)], values, { command: berth`endpoints logs ${id} ${worker}` });
    if (values.worker !== undefined) return await showOne(values.id, values.worker);
    const { id, list } = await listWorkers(ctx, values.id);
    const workers = list.values;
    const ended = itemsAt(list.document, 'ended').map(idOf);
    const [only, ...others] = workers;
    if (!values.follow && others.length === 0)
      return await showOne(id, only === undefined ? await lastEnded(ctx, values.id, ended) : idOf(only));
    if (only === undefined) await ctx.tell(`Endpoint ${values.id} has no workers now. Waiting for one.`);
    ctx.ids.set(ENDPOINTS, id, asId(id));
    const ofWorkers = workers.map((row) => logOf(ctx, id, idOf(row)));
    return await showLogs(ctx, ofWorkers, values, {
      more: async () => {
        const { list: now } = await listWorkers(ctx, id);
        const seen = [...now.values, ...itemsAt(now.document, 'ended')].map(idOf);
        return seen.filter((worker) => !ended.includes(worker)).map((worker) => logOf(ctx, id, worker));
      },
    });
  },
});

const logOf = (ctx: CommandContext, endpoint: string, worker: string): Log<'endpoint'> => ({
  lookup: ENDPOINTS,
  given: endpoint,
  name: worker,
  stream: (id) => ({
    id,
    path: [...ENDPOINTS.path, id, 'workers', worker, 'logs'],
    live: async () => (await listWorkers(ctx, id)).list.values.some((row) => idOf(row) === worker),
  }),
});

/** Not-found (4) if none has run. */
async function lastEnded(ctx: CommandContext, endpoint: string, ended: readonly string[]): Promise<string> {
  const last = ended.find(isUsableId);
  if (last === undefined)
    throw new Failure({
      code: 'no-worker',
      exit: EXIT.notFound,
      message: `endpoint ${endpoint} has no workers now`,
      hint: sentence`Workers start when jobs wait, unless --workers-min keeps some. See ${berth`endpoints workers ${endpoint}`}.`,
      id: endpoint,
    });
  await ctx.tell(`Endpoint ${endpoint} has no workers now. This is the log of ${last}, which has ended.`);
  return last;
}
