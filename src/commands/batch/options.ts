import type { Resubmittable } from '../../batch/index.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option, type ValuesOf } from '../../cli/model/params.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { RATE_LIMITS } from '../../queue/limits.ts';

export const limitOptions = {
  concurrency: option.count('requests at once, at most (default 32)', 1, { most: 10_000 }),
  rate: option.count(`submissions a second, at most (default ${RATE_LIMITS.run.rate}, the known limit)`, 1),
  inFlight: option.count(
    'jobs at the service at a time, at most (default 1000; with --max-failures as many as completed so far, from 10 on)',
    1,
  ),
  maxFailures: option.count('send no more once more items than this did not complete', 0),
  maxTime: option.duration('stop the batch after this time; it can be resumed', 's'),
  timeout: option.duration('the old name of --max-time', 's', { hidden: true }),
  retryFailed: option.count('run failed and timed-out jobs again, at most this often', 0),
};

export const runOptions = {
  input: option.requiredTexts('JSON lines or CSV, an item each; .gz too; may be given again; a glob; - is stdin', {
    metavar: 'FILE',
    complete: 'file',
  }),
  out: option.requiredText('the file for the results, with a journal beside it', {
    metavar: 'FILE',
    complete: 'file',
  }),
  inputFormat: option.choice('what the input is (default: by its name, else jsonl)', ['jsonl', 'csv']),
  inputField: option.text('the member or column that holds the input; else the whole line does', { metavar: 'NAME' }),
  idField: option.text('the member or column that names the item in the results', { metavar: 'NAME' }),
  types: option.text('the types of CSV columns: string, number, boolean or json; an empty cell is null', {
    metavar: 'NAME:TYPE,...',
  }),
  skipInvalid: option.on('leave out what cannot be sent, in place of refusing it all'),
  ordered: option.on('put the results in the order of the input once all have ended'),
  ...limitOptions,
  executionTimeout: option.duration('how long a worker may run a job, 5s to 7d (default: that of the endpoint)', 's'),
  ttl: option.duration('how long a job may live, queue and run together, 10s to 7d', 's'),
  lowPriority: option.on('let other jobs go first'),
};

export type RunValues = ValuesOf<typeof runOptions> & { readonly endpoint: string };

export const RESUBMIT_STATES = {
  failed: 'failed',
  expired: 'expired',
  'timed-out': 'timedOut',
  cancelled: 'cancelled',
  unknown: 'unknown',
} as const satisfies Readonly<Record<string, Resubmittable>>;

export const EXPORT_STATES = {
  completed: 'completed',
  failed: 'failed',
  'timed-out': 'timedOut',
  cancelled: 'cancelled',
  expired: 'expired',
} as const;

export const statesOf = <State>(table: Readonly<Record<string, State>>, words: readonly string[]): readonly State[] =>
  Object.entries(table).flatMap(([word, state]) => (words.includes(word) ? [state] : []));

export const resumeOptions = {
  input: option.texts('where the input is now, if it was moved; several ones in the order of the batch', {
    metavar: 'FILE',
    complete: 'file',
  }),
  resubmit: option.list(`send these items again, as new jobs: ${Object.keys(RESUBMIT_STATES).join(', ')}`, {
    metavar: 'STATE',
    choices: Object.keys(RESUBMIT_STATES),
  }),
  onlyError: option.text('with --resubmit: only items whose error contains this, or has this pattern'),
  resubmitUnknown: option.on('the same as --resubmit unknown'),
  ...limitOptions,
};

export type ResumeValues = ValuesOf<typeof resumeOptions> & { readonly results: string };

export const exportOptions = {
  format: option.choice('what to write (default jsonl)', ['csv', 'json', 'jsonl']),
  joinInput: option.on('add the input of each item, in the order of the input'),
  status: option.list('only items that ended so', {
    metavar: 'STATUS',
    choices: Object.keys(EXPORT_STATES),
  }),
  ordered: option.on('in the order of the input'),
  out: option.text('write to this file, in place of stdout', { metavar: 'FILE' }),
  force: option.on('replace the file of --out if it exists'),
  input: option.text('where the input is now, if it was moved', { metavar: 'FILE' }),
};

export type ExportValues = ValuesOf<typeof exportOptions> & { readonly results: string };

interface TimeValues {
  readonly maxTime: number | undefined;
  readonly timeout: number | undefined;
}

/** Warns for its old name --timeout. Usage (2) when both are given. */
export async function maxTimeOf(
  ctx: CommandContext,
  { maxTime, timeout }: TimeValues,
): Promise<Milliseconds | undefined> {
  if (timeout === undefined) return maxTime;
  if (maxTime !== undefined) throw usage('--timeout is the old name of --max-time', 'Give one of them.');
  await ctx.tell('--timeout of a batch is called --max-time now; the old name still works.');
  return timeout;
}

/** Requests before the first job fail with wait-ended (9) after the time of the complete batch. */
export function withDeadline(ctx: CommandContext, timeoutMs: Milliseconds | undefined): CommandContext {
  if (timeoutMs === undefined) return ctx;
  const endsAt = ctx.clock.monotonic() + timeoutMs;
  return {
    ...ctx,
    api: {
      ...ctx.api,
      send: async (request) => {
        const deadline = ctx.clock.deadline(Math.max(1, endsAt - ctx.clock.monotonic()));
        // A race, so that waits between retries end too.
        const expired = new Promise<never>((_, reject) => {
          deadline.signal.addEventListener('abort', () => {
            reject(timeIsUp(timeoutMs));
          });
        });
        try {
          return await Promise.race([ctx.api.send(request), expired]);
        } finally {
          deadline.cancel();
        }
      },
    },
  };
}

const timeIsUp = (timeoutMs: Milliseconds): Failure =>
  new Failure({
    code: 'wait-ended',
    exit: EXIT.waitEnded,
    message: `the time for the batch, ${formatDuration(timeoutMs)}, was up before its first job`,
    hint: 'Nothing was sent. Run it again with a longer --max-time.',
  });

/** Milliseconds. Usage (2). */
export function checkBounds(label: string, value: number | undefined, [least, most]: readonly [number, number]): void {
  if (value !== undefined && (value < least || value > most))
    throw usage(`${label} is ${least / 1000} s to ${most / 1000} s; ${value / 1000} s is outside`);
}
