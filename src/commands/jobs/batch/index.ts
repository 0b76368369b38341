import { memberAt } from '../../../core/json.ts';
import { defineCommand, defineGroup, endedWhen } from '../../../cli/command.ts';
import { arg, option } from '../../../cli/parse/params.ts';
import { resumeOptions, runOptions } from './flags.ts';
import { ENDPOINTS } from '../../shared/collections.ts';
import { BATCH_END, BATCH_EXPORT, BATCH_PLAN, BATCH_REPORT, BATCH_STATUS } from './schemas.ts';
import { either } from '../../../cli/schema/output-schema.ts';

const run = defineCommand({
  output: either(BATCH_END, BATCH_PLAN),
  summary: 'submit a job for each line of a file and fetch all results',
  changesMachine: true,
  details:
    'Each line of the input is one job: JSON, sent byte for byte; or a row of a CSV file with a header, sent as an object of its columns. All of it is checked before anything is sent. Results are written as JSON lines as they come: `item` counts the jobs of the input from 1, with those left out and without empty lines; the value of --id-field goes beside it as a label, and need not be unique. A CSV file has commas between its columns, which are strings unless --types or a header such as price:number says otherwise; a cell that does not have its type is an error with its row and column. The column of --input-field holds JSON. --skip-invalid leaves out lines and rows; where quotes of a CSV file are broken it has no rows. What is piped in is kept beside the results, as RESULTS.input, for a resume. The cost shown is about what execution costs, where endpoint and catalog tell the price; idle workers and their start come on top. Exit codes: 0 all completed, 13 some did not, 9 the time of --max-time was up, 130 interrupted, 14 trouble with a file.',
  args: { endpoint: arg.text('endpoint id, name or model slug', { complete: ENDPOINTS }) },
  options: runOptions,
  writes: true,
  costs: true,
  waits: true,
  examples: [
    ['berth jobs batch run demo --input items.jsonl --out results.jsonl', 'a job for each line'],
    ['berth jobs batch run demo --input items.csv --id-field sku --out priced.jsonl', 'rows of a CSV file'],
    ['berth jobs batch run demo --input items.csv --types price:number,tags:json --out r.jsonl', 'with typed columns'],
    ['berth jobs batch resume results.jsonl', 'go on after anything'],
  ],
  run: async (ctx, values) => {
    const [{ runBatch }, { maxTimeOf, withDeadline }] = await Promise.all([
      import('./run.ts'),
      import('./max-time.ts'),
    ]);
    const maxTime = await maxTimeOf(ctx, values);
    return await runBatch(withDeadline(ctx, maxTime), { ...values, maxTime });
  },
});

const resume = defineCommand({
  output: BATCH_END,
  summary: 'go on with a batch after anything that ended it',
  changesMachine: true,
  details:
    'What was submitted is not sent again, unless --resubmit says so: items that failed, expired, timed out or were cancelled, and unknown ones that may have been submitted, are then sent as new jobs, at any age. --only-error chooses among them by their error. The new result takes the place of the old one. An expired or unknown item may run twice. --retry-failed asks the service to run the same job again, within 30 minutes of its end. Results that the service no longer keeps are counted as expired. --rate, --concurrency, --in-flight, --max-failures and --max-time are those of this command: none is remembered.',
  args: { results: arg.text('the results file of the batch', { complete: 'file' }) },
  options: resumeOptions,
  costs: true,
  waits: true,
  examples: [
    ['berth jobs batch resume results.jsonl', 'go on'],
    ['berth jobs batch resume results.jsonl --retry-failed 2', 'and run failed jobs again, twice at most'],
    [
      "berth jobs batch resume results.jsonl --resubmit failed --only-error 'out of memory'",
      'new jobs for some failures',
    ],
  ],
  run: async (ctx, values) => {
    const [{ resume: resumeBatch }, { maxTimeOf }] = await Promise.all([
      import('./resume.ts'),
      import('./max-time.ts'),
    ]);
    return await resumeBatch(ctx, { ...values, maxTime: await maxTimeOf(ctx, values) });
  },
});

const status = defineCommand({
  output: BATCH_STATUS,
  summary: 'explain how a batch stands, from its files alone',
  examples: [['berth jobs batch status results.jsonl', 'what is done, what is left']],
  details:
    'Sends nothing and changes nothing, and may be asked while the batch runs. The same counts, times, cost and commonest errors as at the end of a run; batch report has all of them.',
  args: { results: arg.text('the results file of the batch', { complete: 'file' }) },
  options: { exitStatus: option.on('end 13 unless every item completed') },
  watch: endedWhen((row) => memberAt(row, 'state') !== 'running'),
  // Loaded on demand: no other command of jobs needs this code.
  run: async (ctx, values) => (await import('./status.ts')).status(ctx, values),
});

const report = defineCommand({
  output: BATCH_REPORT,
  summary: 'report on a batch: counts, cost, times and failures by pattern',
  details:
    'Reads the journal and the results, and may be asked while the batch runs or after it was killed; it sends nothing. Failures are grouped by their error, with numbers, ids, paths and addresses masked. Quantiles are within 1% of the exact value. Cost is that of execution at the price of a worker when the batch ran, without idle and starting workers. --html writes one page with charts that loads nothing from anywhere.',
  args: { results: arg.text('the results file of the batch', { complete: 'file' }) },
  options: { html: option.text('write a page with charts to this file', { metavar: 'FILE' }) },
  examples: [
    ['berth jobs batch report results.jsonl', 'counts, cost, times, and why items failed'],
    ['berth jobs batch report results.jsonl --html report.html', 'the same as a page with charts'],
  ],
  run: async (ctx, values) => (await import('./report/index.ts')).report(ctx, values),
});

const exportResults = defineCommand({
  output: BATCH_EXPORT,
  summary: 'write the results of a batch as CSV, JSON or JSON lines',
  changesMachine: true,
  details:
    'One row for each item that has ended, with its last result, in bounded memory, also while the batch runs. --join-input adds the input of each item, in the order of the input. --fields names members, such as output.text: they are the columns of a CSV. Nested members of a CSV are JSON. With --out the file takes its name when it is complete.',
  args: { results: arg.text('the results file of the batch', { complete: 'file' }) },
  options: {
    format: option.choice('what to write (default jsonl)', ['csv', 'json', 'jsonl']),
    joinInput: option.on('add the input of each item, in the order of the input'),
    ordered: option.on('in the order of the input'),
    out: option.text('write to this file, in place of stdout', { metavar: 'FILE' }),
    input: option.text('where the input lies now, if not where it was', { metavar: 'FILE' }),
  },
  examples: [
    ['berth jobs batch export results.jsonl --format csv --out results.csv', 'a table for a spreadsheet'],
    ['berth jobs batch export results.jsonl --join-input --fields input,output', 'inputs beside their outputs'],
  ],
  run: async (ctx, values) => (await import('./export.ts')).exportBatch(ctx, values),
});

export const batch = defineGroup(
  'run a job for each line of a file, and account for every one',
  { run, resume, status, report, export: exportResults },
  'Results go to the file that --out names; beside it lies a journal, from which a batch goes on after anything. An item that was sent and whose answer was lost is unknown: it is listed, and never sent again unless --resubmit unknown says so.',
);
