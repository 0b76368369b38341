import { ask, asks, requireYes } from '../cli/ask.ts';
import { defineCommand, defineGroup, yesOption } from '../cli/model/command.ts';
import { serviceObject, TEXT, WHOLE } from '../cli/model/output-schema.ts';
import { queueArgument } from '../cli/resource/arguments.ts';
import { ENDPOINTS } from '../cli/resource/collections.ts';
import { textColumn } from '../cli/resource/fields.ts';
import { withId } from '../cli/resource/targets.ts';
import { countOf } from '../cli/words.ts';
import { numberAt } from '../core/json.ts';
import { answerResult, asksForData, type View } from '../output/view.ts';
import { healthRequest, purgeRequest } from '../queue/requests.ts';
import { healthLine } from './jobs/job.ts';

const purgeView: View = {
  noun: ['purge', 'purges'],
  id: (row) => String(numberAt(row, 'removed') ?? ''),
  columns: [textColumn('removed', { right: true }), textColumn('status')],
};

const purge = defineCommand({
  output: () => serviceObject({ removed: WHOLE }, { status: TEXT }),
  summary: 'remove every waiting job; jobs in progress continue',
  args: { endpoint: queueArgument() },
  options: { yes: yesOption },
  writes: true,
  destroys: true,
  examples: [['berth queue purge demo --yes', 'without a question, for scripts']],
  run: async (ctx, { endpoint }) => {
    requireYes(ctx);
    if (asks(ctx)) {
      const { value } = await withId(ctx, ENDPOINTS, endpoint, (id) => ctx.api.send(healthRequest(id)), {
        nameFirst: true,
      });
      const waiting = numberAt(value, 'jobs.inQueue');
      if (waiting === 0) return { kind: 'nothing', notes: [`no jobs waiting on ${endpoint}: nothing was sent`] };
      const what = waiting === undefined ? 'All waiting jobs' : countOf(waiting, 'waiting job');
      await ask(ctx, { line: `${what} of ${endpoint} will be removed.` });
    }
    const answer = await withId(
      ctx,
      ENDPOINTS,
      endpoint,
      (id) => ctx.api.send({ ...purgeRequest(id), checkCommand: healthLine(id) }),
      { nameFirst: true, unlisted: (id) => ctx.api.send(healthRequest(id)) },
    );
    if (asksForData(ctx.output)) return answerResult(purgeView, answer);
    const removed = numberAt(answer.value, 'removed');
    const done = `removed ${removed === undefined ? 'the waiting jobs' : countOf(removed, 'waiting job')} of ${endpoint}`;
    return { kind: 'nothing', notes: ctx.settings.get('quiet') ? [] : [done] };
  },
});

export const queue = defineGroup("an endpoint's waiting jobs", { purge });
