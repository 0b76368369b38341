import type { CommandContext } from '../../cli/model/context.ts';
import { arg } from '../../cli/model/params.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { withId } from '../../cli/resource/targets.ts';
import type { ApiAnswer, ApiRequest } from '../../core/api.ts';
import { type Failure, isNotFound, usage } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { memberAt, stringOf } from '../../core/json.ts';
import { berth, type CommandLine, type Message, sentence } from '../../core/message.ts';
import type { RememberedJob } from '../../core/remembered.ts';
import { formatDuration } from '../../core/units.ts';
import { hasEnded } from '../../queue/job.ts';
import { healthRequest, statusRequest } from '../../queue/requests.ts';

export const waitLine = (endpoint: string, ...jobs: readonly string[]): CommandLine =>
  berth`jobs wait ${endpoint} ${jobs}`;

export const statusLine = (endpoint: string, job: string): CommandLine => berth`jobs status ${endpoint} ${job}`;

/** The queue has no list of jobs: only health counts show whether a submission arrived. */
export const healthLine = (endpoint: string): CommandLine => berth`health ${endpoint}`;

export interface NamedJob {
  readonly endpoint: string;
  readonly job: string;
  /** As this machine last saw it. */
  readonly status?: string | undefined;
}

const OWN = 'endpoint id, name or slug; not needed for jobs submitted here';

export const JOB_ARGUMENTS = {
  endpoint: arg.text(OWN, { complete: ENDPOINTS }),
  job: arg.any('job ids', { complete: 'job' }),
} as const;

export const ONE_JOB_ARGUMENTS = {
  endpoint: arg.text(OWN, { complete: ENDPOINTS }),
  job: arg.optional('job id', { complete: 'job' }),
} as const;

/** `ENDPOINT JOB...`, or ids alone of jobs that this machine submitted. Usage (2) without a job. */
export async function jobsOf(
  ctx: CommandContext,
  first: string,
  others: readonly string[],
): Promise<readonly [NamedJob, ...NamedJob[]]> {
  const known = await ctx.jobs.read();
  const find = (word: string) => known.find(({ id }) => id === word);
  const isAlone = find(first) !== undefined;
  const [job, ...more] = [...new Set(isAlone ? [first, ...others] : others)].map((word): NamedJob => {
    const endpoint = isAlone ? find(word)?.endpoint : first;
    if (endpoint === undefined)
      throw usage(`job ${word} was not submitted from this machine`, 'Name its endpoint before the job ids.');
    return { endpoint, job: word, status: find(word)?.status };
  });
  if (job === undefined)
    throw usage(
      `missing JOB: no job ${JSON.stringify(first)} was submitted from this machine`,
      sentence`Run ${berth`jobs recent`}`,
    );
  return [job, ...more];
}

/** A public model has only a queue: its health tells a slug from a word that nothing has. */
export const withQueue = <T>(
  ctx: CommandContext,
  word: string,
  request: (id: Id<'endpoint'>) => Promise<T>,
): Promise<T> => withId(ctx, ENDPOINTS, word, request, { unlisted: (id) => ctx.api.send(healthRequest(id)) });

/** Sends a request about a job, and remembers the status in its answer. A 404 says what is known of the job. */
export async function sendAboutJob(
  ctx: CommandContext,
  { endpoint, job }: NamedJob,
  request: (id: Id<'endpoint'>) => ApiRequest,
): Promise<ApiAnswer> {
  try {
    const answer = await withQueue(ctx, endpoint, (id) => ctx.api.send(request(id)));
    const status = stringOf(memberAt(answer.value, 'status'));
    if (status !== undefined) await ctx.jobs.saw(job, status, ctx.serviceNow());
    return answer;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw await explainNotFound(ctx, { endpoint, job }, error);
  }
}

export const readJob = (ctx: CommandContext, named: NamedJob, ttl?: number): Promise<ApiAnswer> =>
  sendAboutJob(ctx, named, (id) => statusRequest(id, named.job, ttl));

const rememberedJob = async ({ jobs }: CommandContext, job: string): Promise<RememberedJob | undefined> =>
  (await jobs.read()).find(({ id }) => id === job);

const isOn = (ctx: CommandContext, word: string, known: RememberedJob): boolean =>
  [known.endpoint, known.named].includes(word) || known.endpoint === ctx.ids.get(ENDPOINTS, word);

/** Submitted here to this endpoint, not seen to end, and too young to be deleted: submitted again it would run twice. */
export async function isCertainlyThere(ctx: CommandContext, { endpoint, job }: NamedJob): Promise<boolean> {
  const known = await rememberedJob(ctx, job);
  if (known === undefined || !isOn(ctx, endpoint, known) || hasEnded({ status: known.status ?? null })) return false;
  return (await ctx.fetchServiceNow()) - known.at < (known.certainMs ?? 0);
}

/** Another endpoint, a lagging replica, or expired (specification 8.2). */
async function explainNotFound(ctx: CommandContext, named: NamedJob, error: Failure): Promise<Failure> {
  const { endpoint, job } = named;
  const known = await rememberedJob(ctx, job);
  const because = (hint: Message, message = error.message): Failure => error.with({ id: job, message, hint });
  if (known !== undefined && !isOn(ctx, endpoint, known))
    return because(sentence`It was submitted to ${known.endpoint}. Run ${statusLine(known.endpoint, job)}`);
  if (known !== undefined && (await isCertainlyThere(ctx, named)))
    return because(
      sentence`Do not submit it again: it would run and be paid twice. Run ${waitLine(endpoint, job)}`,
      `job ${job} not found, although this machine submitted it ${formatDuration((await ctx.fetchServiceNow()) - known.at)} ago`,
    );
  if (known !== undefined) await ctx.jobs.sawGone(job, ctx.serviceNow());
  return because('Check the endpoint and the id. Results are kept for 30 minutes (run), 1 to 5 minutes (runsync).');
}
