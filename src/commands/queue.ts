import { type Json, numberAt } from '../core/json.ts';
import { defineCommand, defineGroup } from '../cli/command.ts';
import { sendTo } from '../cli/resource/identity/identify.ts';
import { unlessUnread } from '../cli/run/dry-run.ts';
import { countOf } from '../cli/words.ts';
import { answerResult, type View } from '../output/view.ts';
import { healthRequest, purgeRequest } from '../queue/requests.ts';
import { healthLine } from './jobs/command-lines.ts';
import { ENDPOINTS, QUEUE_ARGUMENT } from './shared/collections.ts';
import { textColumn } from '../cli/resource/detail-lines.ts';
import { serviceObject, TEXT, WHOLE } from '../cli/schema/output-schema.ts';

const purgeView: View = {
  noun: ['purge', 'purges'],
  id: (row) => String(numberAt(row, 'removed') ?? ''),
  columns: [textColumn('removed', { right: true }), textColumn('status')],
};

const purge = defineCommand({
  output: serviceObject({ removed: WHOLE }, { status: TEXT }),
  summary: 'remove every job that is waiting; jobs in progress go on',
  args: { endpoint: QUEUE_ARGUMENT },
  writes: true,
  // Read also for a dry run, which ends where there is no such endpoint.
  prepare: async (ctx, { endpoint }) =>
    ctx.yes && !ctx.dryRun ? undefined : await unlessUnread(ctx, () => sendTo(ctx, ENDPOINTS, endpoint, healthRequest)),
  confirm: async (_, { endpoint }, health) =>
    health && `This removes ${waitingJobs(health.answer.value)} from the queue of ${endpoint}. Jobs in progress go on.`,
  examples: [['berth queue purge demo --yes', 'without a question, for scripts']],
  run: async (ctx, { endpoint }) => {
    const { answer } = await sendTo(ctx, ENDPOINTS, endpoint, (id) => ({
      ...purgeRequest(id),
      checkCommand: healthLine(id),
    }));
    const removed = numberAt(answer.value, 'removed');
    const notes = removed === undefined ? [] : [`${countOf(removed, 'job')} removed from the queue of ${endpoint}`];
    return { ...answerResult(purgeView, answer), notes };
  },
});

/** Returns `3 waiting jobs`, or `all waiting jobs` when the service gives no count. */
function waitingJobs(health: Json | undefined): string {
  const count = numberAt(health, 'jobs.inQueue');
  return count === undefined ? 'all waiting jobs' : countOf(count, 'waiting job');
}

export const queue = defineGroup("an endpoint's waiting jobs", { purge });
