import { berth, sentence } from '../../core/message.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure, unlessFailed } from '../../core/failure.ts';
import { arrayAt, arrayOf, encodeJson, type Json, memberAt, objectOf } from '../../core/json.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { safeText, say } from '../../core/safe-text.ts';
import { defineCommand, waitTimeoutOption } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { run as hintOf } from '../../cli/hint.ts';
import { every } from '../../cli/until.ts';
import { styled } from '../../output/text/terminal-text.ts';
import { escapeJson } from '../../output/formats/json.ts';
import { asksForData, type Result } from '../../output/view.ts';
import { hasEnded, jobError, jobStatus } from '../../queue/job.ts';
import { streamRequest } from '../../queue/requests.ts';
import { jobsOf, type NamedJob, ONE_JOB_ARGUMENTS, readJob, sendAboutJob, statusLine } from './job.ts';
import { chunkSchema, chunkView, exitOf, JOB_EXITS } from './job-view.ts';
import { countOf } from '../../cli/words.ts';
import { manyOf } from '../../cli/model/output-schema.ts';

const FIRST_PAUSE_MS: Milliseconds = 250;
/** Of a job that has nothing to say for a while. */
const LONGEST_PAUSE_MS: Milliseconds = 2000;

export const stream = defineCommand({
  output: () => manyOf(chunkSchema()),
  summary: "print a job's chunks as its handler produces them",
  waits: true,
  exits: JOB_EXITS,
  examples: [[`berth jobs stream stream "$(berth jobs run stream --input '{"chunks":3}')"`, 'of a job just submitted']],
  details:
    'Chunks that hold text are printed as that text, others as JSON, one a line; -o jsonl and --json print whole chunks. The exit code is the outcome of the job.',
  args: ONE_JOB_ARGUMENTS,
  options: { waitTimeout: waitTimeoutOption('how long to follow it') },
  run: async (ctx, { endpoint, job, waitTimeout }) => {
    const [named] = await jobsOf(ctx, endpoint, job === undefined ? [] : [job]);
    return await streamJob(ctx, named, waitTimeout, true);
  },
});

/**
 * The service returns each chunk once (additions 12): chunks of a lost answer are lost, which fails (7). `isFirst`: the command
 * has sent nothing before, and a service that cannot be reached at once is its failure (7).
 */
export async function streamJob(
  ctx: CommandContext,
  named: NamedJob,
  timeoutMs: Milliseconds,
  isFirst = false,
): Promise<Result> {
  const { endpoint, job } = named;
  const resume = berth`jobs stream ${endpoint} ${job}`;
  ctx.setResumeCommand(resume);
  const start = ctx.clock.monotonic();
  const printer = chunkPrinter(ctx);
  let ended: Json | undefined;
  let chunkCount = 0;
  let lost = 0;
  let isUnseen = isFirst;
  let pauseMs = FIRST_PAUSE_MS;
  const poll = async (): Promise<number> => {
    const { value } = await sendAboutJob(ctx, named, (id) => ({
      ...streamRequest(id, job),
      onLost: () => (lost += 1),
    }));
    isUnseen = false;
    const chunks = arrayOf(value) ?? arrayAt(value, 'stream') ?? [];
    for (const chunk of chunks) await printer.print(chunk);
    chunkCount += chunks.length;
    if (hasEnded(objectOf(value))) ended = value;
    return chunks.length;
  };
  const readStatus = async (): Promise<Json> => (await readJob(ctx, named)).value ?? null;
  for (;;) {
    const before = ended;
    let count = 0;
    let outage: Failure | undefined;
    try {
      count = await poll();
      const status = count === 0 && ended === undefined ? await readStatus() : undefined;
      if (hasEnded(status)) ended = status;
    } catch (error) {
      // The last chunks may come with the status, and the job may have expired at the next request.
      if (before !== undefined && isNotFound(error)) break;
      rethrowUnlessFailure(error, ctx);
      if (isUnseen || (error.exit !== EXIT.unavailable && error.exit !== EXIT.rateLimited)) throw error;
      outage = error;
    }
    // One poll after the end returns chunks produced between the two requests.
    if (before !== undefined && count === 0 && outage === undefined) break;
    const isLast = count === 0 && ended !== undefined;
    if (!isLast && ctx.clock.monotonic() - start >= timeoutMs) {
      await printer.close();
      const state = outage === undefined ? '' : `: ${outage.message}`;
      const message = `job ${job} not COMPLETED after ${formatDuration(timeoutMs)}${state}`;
      throw new Failure({ code: 'wait-ended', exit: EXIT.waitEnded, message, hint: hintOf(resume), id: job });
    }
    if (count > 0) pauseMs = FIRST_PAUSE_MS;
    else if (ended === undefined || outage !== undefined) {
      await every(ctx, Math.min(pauseMs, Math.max(0, start + timeoutMs - ctx.clock.monotonic())));
      pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
    }
  }
  await printer.close();
  ctx.setResumeCommand(undefined);
  const exit = exitOf(ended);
  // A stream's answer may have the status only.
  const isWhole =
    exit === EXIT.done || memberAt(ended, 'error') !== undefined || arrayAt(ended, 'stream') === undefined;
  const error = jobError(isWhole ? ended : await unlessFailed(ctx, readStatus));
  const outcome = `job ${job} ended ${jobStatus(ended)}${error === undefined ? '' : `: ${error.text}`}`;
  const gaps = lost === 0 ? undefined : incompleteStream(named, lost);
  if (exit !== EXIT.done)
    return { kind: 'nothing', exit, notes: [...outcome.split(/\r?\n/), ...(gaps === undefined ? [] : [gaps.message])] };
  if (gaps !== undefined) return { kind: 'nothing', failure: gaps };
  const status = sentence`job ${job} has no chunks. Its output: ${statusLine(endpoint, job)}`;
  return { kind: 'nothing', notes: chunkCount > 0 ? [] : [status] };
}

/** Unavailable (7). */
const incompleteStream = ({ endpoint, job }: NamedJob, lost: number): Failure =>
  new Failure({
    code: 'incomplete-stream',
    exit: EXIT.unavailable,
    message: `lost ${countOf(lost, 'stream response')}; ${lost === 1 ? 'its' : 'their'} chunks cannot be recovered`,
    hint: sentence`Job ${job} has completed. Its output: ${statusLine(endpoint, job)}`,
    id: job,
  });

function chunkPrinter(ctx: CommandContext) {
  if (asksForData(ctx.output)) {
    const rows = ctx.rows(chunkView);
    return { print: (chunk: Json) => rows.row(chunk), close: () => rows.close() };
  }
  let midLine = false;
  return {
    print: async (chunk: Json) => {
      const text = textOf(memberAt(chunk, 'output') ?? chunk);
      if (text === undefined) {
        const line = escapeJson(encodeJson(memberAt(chunk, 'output') ?? chunk));
        await ctx.stdout.write(styled`${midLine ? say`\n` : say``}${line}\n`);
        midLine = false;
      } else if (text !== '') {
        await ctx.stdout.write(safeText(text, true));
        midLine = !text.endsWith('\n');
      }
    },
    close: () => (midLine ? ctx.stdout.write(say`\n`) : Promise.resolve()),
  };
}

/** A string, or the strings of its `text` member (specification 4.5, detail 4). */
function textOf(output: Json): string | undefined {
  if (typeof output === 'string') return output;
  const text = memberAt(output, 'text');
  if (typeof text === 'string') return text;
  const parts = arrayOf(text);
  return parts?.every((part) => typeof part === 'string') === true ? parts.join('') : undefined;
}
