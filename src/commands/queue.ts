import { isNotFound } from '../core/failure.ts';
import { type Json, numberAt } from '../core/json.ts';
import { defineCommand, defineGroup } from '../cli/model/command.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { rememberedJobs } from '../cli/model/remembered-jobs.ts';
import { sendTo } from '../cli/resource/identity/identify.ts';
import { unlessUnread } from '../cli/run/context/dry-run.ts';
import { countOf } from '../cli/words/words.ts';
import { answerResult, type View } from '../output/view.ts';
import { hasEnded, isRunning } from '../queue/job-status.ts';
import { healthRequest, purgeRequest } from '../queue/requests.ts';
import { healthLine } from './jobs/job/command-lines.ts';
import { readJobs } from './jobs/recent.ts';
import { ENDPOINTS, QUEUE_ARGUMENT } from './shared/collections.ts';
import { textColumn } from '../cli/resource/fields/detail-lines.ts';
import { serviceObject, TEXT, WHOLE } from '../cli/model/output-schema.ts';

const purgeView: View = {
  noun: ['purge', 'purges'],
  id: (row) => String(numberAt(row, 'removed') ?? ''),
  columns: [textColumn('removed', { right: true }), textColumn('status')],
};

/**
 * Names the jobs in progress among those that this machine submitted to an endpoint: they go on, and are paid. It takes a request
 * for each that is not known to have ended. Nothing with --quiet.
 */
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
  // Read also for a dry run, which ends where there is no such endpoint.
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
    // Nobody was asked, so nothing is removed that came meanwhile.
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
      // Where it was asked about, it was said before.
      ...(ctx.yes && going !== undefined ? [going] : []),
    ];
    return { ...answerResult(purgeView, answer), notes };
  },
});

const isEmpty = (health: Json | undefined): boolean => numberAt(health, 'jobs.inQueue') === 0;

/** Returns `3 waiting jobs`, or `all waiting jobs` when the service gives no count. */
function waitingJobs(health: Json | undefined): string {
  const count = numberAt(health, 'jobs.inQueue');
  return count === undefined ? 'all waiting jobs' : countOf(count, 'waiting job');
}

export const queue = defineGroup("an endpoint's waiting jobs", { purge });
