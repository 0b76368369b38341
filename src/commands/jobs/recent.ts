import { defineCommand } from '../../cli/model/command.ts';
import { failureSchema, manyOf, orNull, ownObject, TEXT, TIME } from '../../cli/model/output-schema.ts';
import { rememberedJobs } from '../../cli/model/context.ts';
import { arg } from '../../cli/model/params.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { limitOption } from '../../cli/resource/noun.ts';
import { type JsonObject, stringAt } from '../../core/json.ts';
import type { RememberedJob } from '../../core/remembered.ts';
import { formatTimestamp } from '../../core/units.ts';
import { age, status } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { idOf, type View } from '../../output/view.ts';

const recentView: View = {
  noun: ['remembered job', 'remembered jobs'],
  id: idOf,
  members: ['id', 'endpoint', 'submittedAt', 'status', 'statusAt', 'error'],
  columns: [
    textColumn('id', { cutLast: true }),
    textColumn('endpoint'),
    { header: 'SUBMITTED', show: (row, facts) => age(row, 'submittedAt', facts), right: true },
    {
      header: 'STATUS',
      show: (row) => {
        const error = stringAt(row, 'error.message');
        return error === undefined ? status(row, 'status') : { text: error, tone: 'quiet' };
      },
    },
    { header: 'SEEN', show: (row, facts) => age(row, 'statusAt', facts), right: true },
  ],
};

/** The service has no list of jobs: these are the ones this machine has kept. */
export const recent = defineCommand({
  output: () =>
    manyOf(
      ownObject(
        {
          id: TEXT,
          endpoint: TEXT,
          submittedAt: TIME,
          status: { ...orNull(TEXT), description: 'as it was last seen; null when it was not' },
          statusAt: { ...orNull(TIME), description: 'when it was last seen in this status' },
        },
        { error: { ...failureSchema(), description: 'that the service has it no more' } },
      ),
    ),
  summary: 'list the jobs that this machine submitted last',
  details:
    'The last 100 jobs that jobs run submitted here with this profile and key, latest first, each with the status last seen. Their status now: berth jobs status JOB. Jobs of batches: berth jobs batch status.',
  args: { endpoint: arg.optional('only the jobs of this endpoint, by its id or name', { complete: ENDPOINTS }) },
  options: { limit: limitOption() },
  examples: [
    ['berth jobs recent', 'what did I submit?'],
    ['berth jobs recent demo --json', 'to one endpoint'],
  ],
  run: async (ctx, { endpoint, limit }) => {
    const all = await (endpoint === undefined ? ctx.jobs.read() : rememberedJobs(ctx, endpoint));
    // Ages need the service's clock, which no answer has set yet.
    if (all.length > 0 && isTableOutput(ctx.output)) await ctx.fetchServiceNow({ overHttp: true });
    return { kind: 'many', view: recentView, values: all.slice(0, limit).map(rowOf) };
  },
});

const rowOf = (job: RememberedJob): JsonObject => ({
  id: job.id,
  endpoint: job.endpoint,
  submittedAt: formatTimestamp(job.at),
  status: job.status ?? null,
  statusAt: job.statusAt === undefined ? null : formatTimestamp(job.statusAt),
  ...(job.goneAt === undefined ? {} : { error: { code: 'not-found', message: 'not found (404)', status: 404 } }),
});
