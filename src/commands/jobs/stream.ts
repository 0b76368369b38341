import { berth, sentence } from '../../core/message.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound } from '../../core/failure.ts';
import { arrayAt, arrayOf, encodeJson, type Json, memberAt, objectOf } from '../../core/json.ts';
import type { Absence } from '../../core/not-there-yet.ts';
import { safeText, say } from '../../core/safe-text.ts';
import { defineCommand, waitTimeoutOption } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg } from '../../cli/model/params.ts';
import { waitEnded } from '../../cli/run/wait.ts';
import { styled } from '../../output/text/terminal-text.ts';
import { escapeJson } from '../../output/formats/json.ts';
import { asksForData, type Result } from '../../output/view.ts';
import { jobError } from '../../queue/job-error.ts';
import { streamRequest } from '../../queue/requests.ts';
import { hasEnded, jobStatus } from '../../queue/job-status.ts';
import { QUEUE_ARGUMENT } from '../../cli/resource/collections.ts';
import { askForJob, CHUNK, chunkView, exitOf, JOB_EXITS, readJobNow, sendAboutJobNow } from './job.ts';
import { cancelLine } from './wait.ts';
import { countOf } from '../../cli/words.ts';
import { manyOf } from '../../cli/model/output-schema.ts';

const POLL_INTERVAL_MS = 250;

export const stream = defineCommand({
  output: manyOf(CHUNK),
  summary: "print a job's chunks as its handler produces them",
  waits: true,
  exits: JOB_EXITS,
  examples: [[`berth jobs stream stream "$(berth jobs run stream --input '{"chunks":3}')"`, 'of a job just submitted']],
  details:
    'Chunks that hold text are printed as that text, others as JSON, one a line; -o jsonl and --json print whole chunks. The exit code is the outcome of the job.',
  args: {
    endpoint: QUEUE_ARGUMENT,
    job: arg.text('job id', { complete: 'job' }),
  },
  options: { waitTimeout: waitTimeoutOption('how long to follow it') },
  run: (ctx, values) => streamJob(ctx, values.endpoint, values.job, values.waitTimeout),
});

/** The service returns each chunk once (additions 12): chunks of a lost answer are lost, which fails (7). */
export async function streamJob(
  ctx: CommandContext,
  endpoint: string,
  job: string,
  timeoutMs: number,
  absence?: Absence,
): Promise<Result> {
  const ask = askForJob(ctx, { endpoint, job }, timeoutMs, absence);
  const resumeCommand = berth`jobs stream ${endpoint} ${job}`;
  ctx.setResumeCommand(resumeCommand, () => cancelLine(endpoint, job));
  const start = ctx.clock.monotonic();
  const printer = chunkPrinter(ctx);
  let ended: Json | undefined;
  let chunkCount = 0;
  let lostAnswers = 0;
  const readPoll = async (): Promise<Json> => {
    const { answer } = await sendAboutJobNow(ctx, endpoint, job, (id) => streamRequest(id, job));
    lostAnswers += answer.lostAnswers ?? 0;
    return answer.value ?? null;
  };
  const readStatus = async (): Promise<Json> => (await readJobNow(ctx, endpoint, job)).answer.value ?? null;
  for (;;) {
    const poll = await ask(readPoll).catch((error: unknown) => {
      if (ended !== undefined && isNotFound(error)) return undefined;
      throw error;
    });
    if (poll === undefined && ended !== undefined) break;
    const chunks = chunksOf(poll);
    for (const chunk of chunks) await printer.print(chunk);
    chunkCount += chunks.length;
    // The last chunks may come with the status: the job may have expired at the next request.
    const wrapped = objectOf(poll);
    const before = ended;
    if (hasEnded(wrapped)) ended = wrapped;
    else if (chunks.length === 0 && ended === undefined) {
      const current = poll === undefined ? undefined : await ask(readStatus);
      if (hasEnded(current)) ended = current;
    }
    // One poll after the end returns chunks produced between the two requests.
    if (chunks.length === 0 && before !== undefined) break;
    const isLast = chunks.length === 0 && ended !== undefined;
    if (!isLast && ctx.clock.monotonic() - start >= timeoutMs) {
      await printer.close();
      throw waitEnded({ what: `job ${job}`, timeoutMs, resumeCommand, id: job });
    }
    if (chunks.length === 0 && ended === undefined) await ctx.clock.sleep(POLL_INTERVAL_MS, ctx.signal);
  }
  await printer.close();
  ctx.setResumeCommand(undefined);
  const exit = exitOf(ended);
  if (exit !== EXIT.done) ended = await withError(ctx, ended, readStatus);
  const error = jobError(ended);
  const outcome = `job ${job} ended ${jobStatus(ended)}${error === undefined ? '' : `: ${error.text}`}`;
  const withoutChunks =
    chunkCount > 0
      ? []
      : [sentence`job ${job} completed without chunks; its output: ${berth`jobs status ${endpoint} ${job}`}`];
  const notes = exit === EXIT.done ? withoutChunks : outcome.split(/\r?\n/);
  if (lostAnswers === 0) return { kind: 'nothing', exit, notes };
  const gaps = incompleteStream(endpoint, job, lostAnswers);
  return exit === EXIT.done
    ? { kind: 'nothing', failure: gaps }
    : { kind: 'nothing', exit, notes: [...notes, gaps.message] };
}

/** Unavailable (7). */
const incompleteStream = (endpoint: string, job: string, lost: number): Failure =>
  new Failure({
    code: 'incomplete-stream',
    exit: EXIT.unavailable,
    message: `${countOf(lost, 'answer')} of the service got lost, and chunks with ${lost === 1 ? 'it' : 'them'}: they do not come again`,
    hint: sentence`Job ${job} has completed. Its whole output: ${berth`jobs status ${endpoint} ${job}`}`,
    id: job,
  });

/** A stream's answer may have the status only: the error is then read separately. */
async function withError(
  ctx: CommandContext,
  ended: Json | undefined,
  readStatus: () => Promise<Json>,
): Promise<Json | undefined> {
  if (memberAt(ended, 'error') !== undefined || arrayAt(ended, 'stream') === undefined) return ended;
  try {
    return { ...objectOf(ended), error: memberAt(await readStatus(), 'error') };
  } catch (error) {
    // The outcome is known: the job may have expired meanwhile.
    if (error instanceof Failure && !ctx.signal.aborted) return ended;
    throw error;
  }
}

/** An array, or (some servers) an object with an array as `stream`. */
const chunksOf = (value: Json | undefined): readonly Json[] => arrayOf(value) ?? arrayAt(value, 'stream') ?? [];

interface ChunkPrinter {
  print(chunk: Json): Promise<void>;
  close(): Promise<void>;
}

function chunkPrinter(ctx: CommandContext): ChunkPrinter {
  if (asksForData(ctx.output)) {
    const rows = ctx.rows(chunkView);
    return { print: (chunk) => rows.row(chunk), close: () => rows.close() };
  }
  let midLine = false;
  return {
    print: async (chunk) => {
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
