import { KNOWN_LIMITS } from '../../batch/pace.ts';
import { defineCommand, defineGroup } from '../../cli/command.ts';
import { arg, option, type ValuesOf } from '../../cli/params.ts';

/** Flags that run and resume share: how fast, how long, how much trouble is borne. */
export const paceOptions = {
  concurrency: option.count('requests at once, at most (default 32)', 1, { most: 10_000 }),
  rate: option.count(`submissions a second, at most (default ${String(KNOWN_LIMITS.run.rate)}, the known limit)`, 1),
  inFlight: option.count('jobs at the service at a time, at most (default 1000)', 1),
  maxFailures: option.count('send no more once more items than this did not complete', 0),
  timeout: option.duration('stop where it stands after so long', 's'),
  retryFailed: option.count('run a job that failed or timed out again, so many times', 0),
};

export type PaceValues = ValuesOf<typeof paceOptions>;

const runOptions = {
  input: option.requiredText('JSON lines or CSV, a job each; - is stdin', { metavar: 'FILE' }),
  out: option.requiredText('where results go; the journal lies beside it', { metavar: 'FILE' }),
  inputFormat: option.choice('what the input is (default: by its name, else jsonl)', ['jsonl', 'csv']),
  inputField: option.text('the member or column that holds the input; else the whole line does', { metavar: 'NAME' }),
  idField: option.text('the member or column that names the item in the results', { metavar: 'NAME' }),
  skipInvalid: option.on('leave out what cannot be sent, in place of refusing it all'),
  ordered: option.on('put the results in the order of the input once all have ended'),
  ...paceOptions,
  executionTimeout: option.duration('how long a worker may run a job, 5s to 7d', 's'),
  ttl: option.duration('how long a job may live, queue and run together, 10s to 7d', 's'),
  lowPriority: option.on('let other jobs go first'),
};

export type RunValues = ValuesOf<typeof runOptions> & { readonly endpoint: string };

const run = defineCommand({
  summary: 'submit a job for each line of a file and fetch all results',
  details:
    'Each line of the input is one job: JSON, sent byte for byte; or a row of a CSV file with a header, sent as an object of its columns. All of it is checked before anything is sent. Results are written as JSON lines as they come. Exit codes: 0 all completed, 13 some did not, 9 --timeout, 130 interrupted, 14 trouble with a file.',
  args: { endpoint: arg.text('endpoint id, name or model slug') },
  options: runOptions,
  writes: true,
  examples: [
    ['berth jobs batch run demo --input items.jsonl --out results.jsonl', 'a job for each line'],
    ['berth jobs batch run demo --input items.csv --id-field sku --out results.jsonl', 'rows of a CSV file'],
    ['berth jobs batch resume results.jsonl', 'go on after anything'],
  ],
  run: async (ctx, values) => (await import('./batch-run.ts')).runNew(ctx, values),
});

const resumeOptions = {
  input: option.text('where the input lies now, if not where it was', { metavar: 'FILE' }),
  resubmitUnknown: option.on('send items again that may have been submitted'),
  moved: option.on('the service is the same, although its address is another now'),
  ...paceOptions,
};

export type ResumeValues = ValuesOf<typeof resumeOptions> & { readonly results: string };

const resume = defineCommand({
  summary: 'go on with a batch after anything that ended it',
  details:
    'What was submitted is not sent again; what may have been is unknown and stays so unless --resubmit-unknown sends it again, at the risk of running it twice. Results that the service no longer keeps are counted as expired.',
  args: { results: arg.text('the results file of the batch') },
  options: resumeOptions,
  examples: [
    ['berth jobs batch resume results.jsonl', 'go on'],
    ['berth jobs batch resume results.jsonl --retry-failed 2', 'and run failed jobs again, twice at most'],
  ],
  run: async (ctx, values) => (await import('./batch-resume.ts')).goOn(ctx, values),
});

export interface StatusValues {
  readonly results: string;
  readonly exitStatus: boolean;
}

const status = defineCommand({
  summary: 'explain how a batch stands, from its journal alone',
  details: 'Sends nothing and changes nothing, and may be asked while the batch runs.',
  args: { results: arg.text('the results file of the batch') },
  options: { exitStatus: option.on('end 13 unless every item completed') },
  watch: true,
  // A batch is much code, and no other command of jobs needs it.
  run: async (ctx, values) => (await import('./batch-status.ts')).explain(ctx, values),
});

export const batch = defineGroup(
  'run a job for each line of a file, and account for every one',
  { run, resume, status },
  'Results go to the file that --out names; beside it lies a journal, from which a batch goes on after anything. An item that was sent and whose answer was lost is unknown: it is listed, and never sent again unless --resubmit-unknown says so.',
);
