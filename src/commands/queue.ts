import { isNotFound } from '../core/failure.ts';
import { type Json, numberAt } from '../core/json.ts';
import { defineCommand, defineGroup } from '../cli/model/command.ts';
import { type CommandContext, rememberedJobs } from '../cli/model/context.ts';
import { sendTo } from '../cli/resource/identify.ts';
import { unlessUnread } from '../cli/run/dry-run.ts';
import { countOf } from '../cli/words.ts';
import { answerResult, type View } from '../output/view.ts';
import { hasEnded, isRunning } from '../queue/job-status.ts';
import { healthRequest, purgeRequest } from '../queue/requests.ts';
import { healthLine } from './jobs/job.ts';
import { readJobs } from './jobs/recent.ts';
import { ENDPOINTS, QUEUE_ARGUMENT } from '../cli/resource/collections.ts';
import { textColumn } from '../cli/resource/fields.ts';
import { serviceObject, TEXT, WHOLE } from '../cli/model/output-schema.ts';

const purgeView: View = {
  noun: ['purge', 'purges'],
  id: (row) => String(numberAt(row, 'removed') ?? ''),
  columns: [textColumn('removed', { right: true }), textColumn('status')],
};

/** This machine's jobs in progress continue and are charged. One request per job; none with --quiet. */
async function goingOn(ctx: CommandContext, endpoint: string): Promise<string | undefined> {
  if (ctx.settings.get('quiet')) return undefined;
  const open = (await rememberedJobs(ctx, endpoint)).filter(({ status = null }) => !hasEnded({ status }));
  const found = await readJobs(ctx, open);
  const running = found.flatMap(({ id, document }) => (isRunning(document) ? [id] : []));
  const unread = found.filter(({ failure }) => failure !== undefined && !isNotFound(failure)).length;
  const parts = [
    running.length === 0 ? '' : `in progress and going on: ${running.join(', ')}`,
    unread === 0 ? '' : `${countOf(unread, 'job')} could not be read`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? undefined : `Of the jobs that this machine submitted: ${parts.join('; ')}.`;
}

const purge = defineCommand({
  output: serviceObject({ removed: WHOLE }, { status: TEXT }),
  summary: 'remove every job that is waiting; jobs in progress go on',
  args: { endpoint: QUEUE_ARGUMENT },
  writes: true,
  // Also for a dry run, which fails if the endpoint does not exist.
  prepare: async (ctx, { endpoint }) => ({
    health:
      ctx.yes && !ctx.dryRun
        ? undefined
        : await unlessUnread(ctx, () => sendTo(ctx, ENDPOINTS, endpoint, healthRequest)),
    going: ctx.dryRun ? undefined : await goingOn(ctx, endpoint),
  }),
  confirm: async (_, { endpoint }, { health, going }) =>
    health === undefined || isEmpty(health.answer.value)
      ? undefined
      : {
          lines: [
            `This removes ${waitingJobs(health.answer.value)} from the queue of ${endpoint}. Jobs in progress go on.`,
            ...(going === undefined ? [] : [going]),
          ],
        },
  examples: [['berth queue purge demo --yes', 'without a question, for scripts']],
  run: async (ctx, { endpoint }, { health, going }) => {
    // Without a question nothing is removed: jobs may have arrived since.
    if (!ctx.yes && !ctx.dryRun && isEmpty(health?.answer.value))
      return {
        kind: 'one',
        view: purgeView,
        value: { removed: 0 },
        notes: [`no job waits in the queue of ${endpoint}: nothing was sent`],
      };
    if (ctx.dryRun && !ctx.settings.get('quiet') && isEmpty(health?.answer.value))
      await ctx.tell(`No job waits in the queue of ${endpoint}: nothing would be removed.`);
    const { answer } = await sendTo(ctx, ENDPOINTS, endpoint, (id) => ({
      ...purgeRequest(id),
      checkCommand: healthLine(id),
    }));
    const removed = numberAt(answer.value, 'removed');
    const notes = [
      ...(removed === undefined ? [] : [`${countOf(removed, 'job')} removed from the queue of ${endpoint}`]),
      // With a question, it was said there.
      ...(ctx.yes && going !== undefined ? [going] : []),
    ];
    return { ...answerResult(purgeView, answer), notes };
  },
});

const isEmpty = (health: Json | undefined): boolean => numberAt(health, 'jobs.inQueue') === 0;

/** `all waiting jobs` if the service gives no count. */
function waitingJobs(health: Json | undefined): string {
  const count = numberAt(health, 'jobs.inQueue');
  return count === undefined ? 'all waiting jobs' : countOf(count, 'waiting job');
}

export const queue = defineGroup("an endpoint's waiting jobs", { purge });
