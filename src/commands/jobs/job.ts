import type { CommandContext } from '../../cli/model/context.ts';
import { ANY_OBJECT, ANYTHING, either, type OutputSchema, serviceObject, TEXT } from '../../cli/model/output-schema.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { otherMembers, textColumn } from '../../cli/resource/fields.ts';
import { sendTo } from '../../cli/resource/identify.ts';
import { askAgain } from '../../cli/run/wait.ts';
import type { ApiRequest } from '../../core/api.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { type Failure, isNotFound } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { type Json, memberAt, stringOf } from '../../core/json.ts';
import { berth, type CommandLine, sentence } from '../../core/message.ts';
import { type Absence, askUntilThere, createAbsence } from '../../core/not-there-yet.ts';
import type { RememberedJob } from '../../core/remembered.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { duration, json, jsonBlock, status, text } from '../../output/cells.ts';
import { idOf, type Section, type View } from '../../output/view.ts';
import { jobError } from '../../queue/job-error.ts';
import { hasEnded, jobOutcome, type JobOutcome } from '../../queue/job-status.ts';
import { absenceOfJob, certainMs } from '../../queue/not-there-yet.ts';
import { statusRequest } from '../../queue/requests.ts';

export const waitLine = (endpoint: string, ...jobs: readonly string[]): CommandLine =>
  berth`jobs wait ${endpoint} ${jobs}`;

export const statusLine = (endpoint: string, job: string): CommandLine => berth`jobs status ${endpoint} ${job}`;

/** The queue has no list of jobs: only health counts show whether a submission arrived. */
export const healthLine = (endpoint: string): CommandLine => berth`health ${endpoint}`;

/** Another machine may just have submitted a job that this one does not know. */
const UNKNOWN_JOB_MS: Milliseconds = 10_000;

interface NamedJob {
  readonly endpoint: string;
  readonly job: string;
}

/** Undefined while the service does not have the job yet. `absence`: of a job submitted by this command. */
export function askForJob(
  ctx: CommandContext,
  named: NamedJob,
  timeoutMs: Milliseconds,
  absence?: Absence,
): ReturnType<typeof askUntilThere> {
  const { clock } = ctx;
  const unknownUntil = clock.monotonic() + Math.min(UNKNOWN_JOB_MS, timeoutMs);
  return askUntilThere(async () => {
    if (absence !== undefined) return absence;
    const known = await rememberedJob(ctx, named.job);
    return known === undefined ? createAbsence(clock, unknownUntil) : await absenceOf(ctx, named, known);
  });
}

/** Decides about 404s; undefined for a job not submitted here to this endpoint. */
export async function absenceOfRemembered(ctx: CommandContext, named: NamedJob): Promise<Absence | undefined> {
  const known = await rememberedJob(ctx, named.job);
  return known && (await absenceOf(ctx, named, known));
}

/** Submitted here to this endpoint, and not seen to end. */
export const isCertainlyThere = async (ctx: CommandContext, named: NamedJob): Promise<boolean> =>
  (await absenceOfRemembered(ctx, named))?.isNotThereYet() === true;

export async function mayHaveExpired(ctx: CommandContext, named: NamedJob): Promise<boolean> {
  const known = await rememberedJob(ctx, named.job);
  return known === undefined || (isOn(ctx, named.endpoint, known) && !(await isCertainlyThere(ctx, named)));
}

/** Rethrows; explains a 404: another endpoint, a possible double submission, or expired (8.2). */
async function explainAbsence(ctx: CommandContext, named: NamedJob, error: unknown): Promise<never> {
  if (!isNotFound(error)) throw error;
  const known = await rememberedJob(ctx, named.job);
  throw (await reasonOf(ctx, named, known, error)).with({ id: named.job });
}

async function reasonOf(
  ctx: CommandContext,
  named: NamedJob,
  known: RememberedJob | undefined,
  error: Failure,
): Promise<Failure> {
  const { endpoint, job } = named;
  if (known !== undefined && !isOn(ctx, endpoint, known))
    return error.with({ hint: sentence`It was submitted to ${known.endpoint}: ${statusLine(known.endpoint, job)}` });
  if (known !== undefined && (await absenceOf(ctx, named, known))?.isNotThereYet() === true)
    return error.with({
      message: `job ${job} is not found, although this machine submitted it ${formatDuration(await ageMsOf(ctx, known))} ago`,
      hint: sentence`Its result cannot have expired: do not submit it again, or it runs and is paid twice. Ask again: ${waitLine(endpoint, job)}`,
    });
  if (known !== undefined) await ctx.jobs.sawGone(job, ctx.serviceNow());
  return error.with({
    hint: 'Either the endpoint or the job id is wrong, or the result has expired: results are kept for 30 minutes after completion (run), 1 to 5 minutes (runsync).',
  });
}

const rememberedJob = async ({ jobs }: CommandContext, job: string): Promise<RememberedJob | undefined> =>
  (await jobs.read()).find(({ id }) => id === job);

/** As far as is known now. */
const isOn = (ctx: CommandContext, word: string, known: RememberedJob): boolean =>
  [known.endpoint, known.named].includes(word) || known.endpoint === ctx.ids.get(ENDPOINTS, word);

/** A job of another endpoint is not here; one seen to end may be gone and costs nothing any more. */
const absenceOf = async (
  ctx: CommandContext,
  { endpoint }: NamedJob,
  known: RememberedJob,
): Promise<Absence | undefined> =>
  hasEnded({ status: known.status ?? null }) || !isOn(ctx, endpoint, known)
    ? undefined
    : absenceOfJob(ctx.clock, await ageMsOf(ctx, known), { ttlMs: known.certainMs ?? certainMs({}) });

const ageMsOf = async (ctx: CommandContext, { at }: RememberedJob): Promise<Milliseconds> =>
  Math.max(0, (await ctx.fetchServiceNow()) - at);

/** `ttl` counts from now. A job submitted here is polled for up to a minute while it is missing. */
export const readJob = (ctx: CommandContext, endpoint: string, job: string, ttl?: number) =>
  sendAboutJob(ctx, endpoint, job, (id) => statusRequest(id, job, ttl));

export const readJobNow = (ctx: CommandContext, endpoint: string, job: string) =>
  sendAboutJobNow(ctx, endpoint, job, (id) => statusRequest(id, job));

export const sendAboutJob = (
  ctx: CommandContext,
  endpoint: string,
  job: string,
  request: (id: Id<'endpoint'>) => ApiRequest,
) =>
  askAgain(
    ctx,
    `job ${job}`,
    () => absenceOfRemembered(ctx, { endpoint, job }),
    () => sendAboutJobNow(ctx, endpoint, job, request),
  );

export async function sendAboutJobNow(
  ctx: CommandContext,
  endpoint: string,
  job: string,
  request: (id: Id<'endpoint'>) => ApiRequest,
) {
  const sent = await sendTo(ctx, ENDPOINTS, endpoint, request).catch((error: unknown) =>
    explainAbsence(ctx, { endpoint, job }, error),
  );
  await rememberStatus(ctx, job, sent.answer.value);
  return sent;
}

export async function rememberStatus(ctx: CommandContext, job: string, document: Json | undefined): Promise<void> {
  const status = stringOf(memberAt(document, 'status'));
  if (status !== undefined) await ctx.jobs.saw(job, status, ctx.serviceNow());
}

const KNOWN = ['id', 'status', 'delayTime', 'executionTime', 'output', 'error'];

/** Specification 2.5. Times are milliseconds in practice (contract rules, queue API). */
export const jobView: View = {
  noun: ['job', 'jobs'],
  id: idOf,
  columns: [
    textColumn('id'),
    { header: 'STATUS', show: status('status'), cutLast: true },
    { header: 'DELAY', show: duration('delayTime', 'ms'), right: true },
    { header: 'EXECUTION', show: duration('executionTime', 'ms'), right: true },
    {
      header: 'RESULT',
      show: (row) => jobError(row)?.headline ?? json('output')(row),
    },
  ],
  detail: (row) => [
    {
      lines: [
        { label: 'id', value: text('id')(row) },
        { label: 'status', value: status('status')(row) },
        ...lineIf(row, 'delayTime', { label: 'delay', value: duration('delayTime', 'ms')(row) }),
        ...lineIf(row, 'executionTime', { label: 'execution', value: duration('executionTime', 'ms')(row) }),
        ...lineIf(row, 'output', { label: 'output', value: jsonBlock('output')(row) }),
        ...lineIf(row, 'error', { label: 'error', value: { text: jobError(row)?.text ?? '', tone: 'bad' } }),
        ...otherMembers(row, KNOWN),
      ],
    },
  ],
};

export const chunkView: View = {
  noun: ['chunk', 'chunks'],
  id: () => '',
  members: ['output', 'metrics'],
  columns: [
    { header: 'OUTPUT', show: json('output') },
    { header: 'METRICS', show: json('metrics') },
  ],
};

type Line = Section['lines'][number];

const lineIf = (row: Json, member: string, line: Line): readonly Line[] =>
  memberAt(row, member) === undefined ? [] : [line];

const EXIT_CODES: Readonly<Record<JobOutcome, ExitCode>> = {
  completed: EXIT.done,
  failed: EXIT.jobFailed,
  cancelled: EXIT.jobCancelled,
  timedOut: EXIT.jobTimedOut,
};

export const JOB_EXITS = [EXIT.jobFailed, EXIT.jobCancelled, EXIT.jobTimedOut];

/** 0 while it has not ended. */
export function exitOf(job: Json | undefined): ExitCode {
  const outcome = jobOutcome(job);
  return outcome === undefined ? EXIT.done : EXIT_CODES[outcome];
}

/** Specification 4.5: the service may add statuses and members. */
export const JOB: OutputSchema = serviceObject(
  { id: TEXT, status: { type: 'string', description: 'IN_QUEUE, IN_PROGRESS, COMPLETED, FAILED, ...' } },
  {
    delayTime: { type: 'number', description: 'milliseconds in the queue' },
    executionTime: { type: 'number', description: 'milliseconds of work' },
    output: ANYTHING,
    error: ANYTHING,
  },
);

/** A worker may send any value. */
export const CHUNK: OutputSchema = either(
  { ...serviceObject({ output: ANYTHING }, { metrics: ANY_OBJECT }), description: 'a chunk and its measurements' },
  ANYTHING,
);
