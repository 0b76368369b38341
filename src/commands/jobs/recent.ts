import { asId } from '../../core/ids.ts';
import { type Failure, isNotFound, rethrowUnlessFailure } from '../../core/failure.ts';
import { type Json, type JsonObject, memberAt, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import type { RememberedJob } from '../../core/remembered.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { type CommandContext, rememberedJobs } from '../../cli/model/context.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { limitOption } from '../../cli/resource/list.ts';
import { combinedFailure, errorOf } from '../../cli/resource/several.ts';
import { FAILURE } from '../../cli/model/common-schemas.ts';
import { manyOf, orNull, ownObject, TEXT, TIME } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { age, status } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { idOf, type View } from '../../output/view.ts';
import { jobStatus } from '../../queue/job-status.ts';
import { statusRequest } from '../../queue/requests.ts';
import { isCertainlyThere } from './job.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';

const AT_ONCE = 10;

const recentView: View = {
  noun: ['remembered job', 'remembered jobs'],
  id: idOf,
  members: ['id', 'endpoint', 'submittedAt', 'status', 'statusAt', 'error'],
  columns: [
    textColumn('id', { cutLast: true }),
    textColumn('endpoint'),
    { header: 'SUBMITTED', show: age('submittedAt'), right: true },
    {
      header: 'STATUS',
      show: (row) => {
        const error = stringAt(row, 'error.message');
        if (error === undefined) return status('status')(row);
        return memberAt(row, 'error.code') === 'not-found'
          ? { text: error, tone: 'quiet' }
          : { text: `not read: ${error}`, tone: 'bad' };
      },
    },
    { header: 'SEEN', show: age('statusAt'), right: true },
  ],
};

/** The service has no list of jobs: these are the ones this machine has kept. */
export const recent = defineCommand({
  output: manyOf(
    ownObject(
      {
        id: TEXT,
        endpoint: TEXT,
        submittedAt: TIME,
        status: { ...orNull(TEXT), description: 'as it was last seen; null when it was not' },
        statusAt: { ...orNull(TIME), description: 'when it was last seen in this status' },
      },
      {
        error: {
          ...FAILURE,
          description: 'that the service has it no more, or why --status could not read its status',
        },
      },
    ),
  ),
  summary: 'list the jobs that this machine submitted last',
  details:
    'The last 100 jobs that jobs run submitted here with this profile and key, latest first, each with the status last seen. --status polls each now; "not found" means that its result has expired. Jobs of batches: berth jobs batch status.',
  args: { endpoint: arg.optional('only the jobs of this endpoint, by its id or name', { complete: ENDPOINTS }) },
  options: {
    limit: limitOption,
    status: option.on('ask the service for the status of each now'),
  },
  examples: [
    ['berth jobs recent', 'what did I submit?'],
    ['berth jobs recent demo --status --json', 'with their status now'],
  ],
  run: async (ctx, { endpoint, limit, status: asks }) => {
    const all = await (endpoint === undefined ? ctx.jobs.read() : rememberedJobs(ctx, endpoint));
    const known = all.slice(0, limit);
    const notes = endpoint === undefined || all.length > 0 ? [] : [nothingOf(endpoint)];
    if (!asks) {
      // Ages need the service's clock, which no answer has set yet.
      if (known.length > 0 && isTableOutput(ctx.output)) await ctx.fetchServiceNow({ overHttp: true });
      return { kind: 'many', view: recentView, values: known.map(rowOf), notes };
    }
    const found: Awaited<ReturnType<typeof readNow>>[] = [];
    for (let at = 0; at < known.length; at += AT_ONCE)
      found.push(...(await Promise.all(known.slice(at, at + AT_ONCE).map((job) => readNow(ctx, job)))));
    // A missing job is an answer, not a failure.
    const failure = combinedFailure(found.filter(({ failure: each }) => !isNotFound(each)));
    return { kind: 'many', view: recentView, values: found.map(({ row }) => row), failure, notes };
  },
});

const nothingOf = (endpoint: string): Message =>
  sentence`This machine remembers no job of an endpoint ${JSON.stringify(endpoint)}. See which endpoints there are: ${berth`endpoints list`}`;

const NOT_FOUND = 'not found (404)';

const rowOf = (job: RememberedJob): JsonObject => ({
  id: job.id,
  endpoint: job.endpoint,
  submittedAt: timeOf(job.at),
  status: job.status ?? null,
  statusAt: job.statusAt === undefined ? null : timeOf(job.statusAt),
  ...(job.goneAt === undefined ? {} : { error: { code: 'not-found', message: NOT_FOUND, status: 404 } }),
});

const timeOf = (at: number): string => new Date(at).toISOString();

/** Each may fail on its own. */
async function readNow(
  ctx: CommandContext,
  job: RememberedJob,
): Promise<{ readonly id: string; readonly row: Json; readonly failure?: Failure }> {
  const { id, endpoint } = job;
  try {
    const { value = null } = await ctx.api.send(statusRequest(asId(endpoint), id));
    const [status, statusAt] = [jobStatus(value), ctx.serviceNow()];
    await ctx.jobs.saw(id, status, statusAt);
    return { id, row: rowOf({ ...job, status, statusAt, goneAt: undefined }) };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    let failure = error;
    if (isNotFound(error)) {
      // A 404 of a job that the service certainly has comes from a lagging replica.
      const isThere = await isCertainlyThere(ctx, { endpoint, job: id });
      if (!isThere) await ctx.jobs.sawGone(id, ctx.serviceNow());
      failure = error.with({ message: isThere ? 'not there yet (404)' : NOT_FOUND });
    }
    return { id, row: { ...rowOf(job), error: errorOf(failure, ctx.settings) }, failure };
  }
}
