import { memberAt } from '../../../core/json.ts';
import { defineCommand, defineGroup, endedWhen } from '../../../cli/command.ts';
import { arg, option } from '../../../cli/parse/params.ts';
import { fetchOptions } from './fetch-flags.ts';
import { resumeOptions, runOptions, storeOptions, workOptions } from './flags.ts';
import { ENDPOINTS } from '../../shared/collections.ts';
import { BATCH_END, BATCH_EXPORT, BATCH_PLAN, BATCH_REPORT, BATCH_STATUS, SHARED_STATUS } from './schemas.ts';
import { either } from '../../../cli/schema/output-schema.ts';

const run = defineCommand({
  output: either(BATCH_END, BATCH_PLAN),
  summary: 'submit a job for each line of a file and fetch all results',
  changesMachine: true,
  details:
    'Each line of the input is one job: JSON, sent byte for byte; or a row of a CSV file with a header or of a Parquet file, sent as an object of its columns. All of it is checked before anything is sent. Results are written as JSON lines as they come: `item` counts the jobs of the input from 1, with those left out and without empty lines; the value of --id-field goes beside it as a label, and need not be unique. A CSV file has commas between its columns, which are strings unless --types or a header such as price:number says otherwise; a cell that does not have its type is an error with its row and column. The column of --input-field holds JSON. In a Parquet file, integers keep every digit; decimals, dates and times are text, bytes are base64, NaN and Infinity are those words as text; the column of --input-field is the input itself. --skip-invalid leaves out lines and rows; where quotes of a CSV file are broken it has no rows. What is piped in is kept beside the results, as RESULTS.input, for a resume; with --store in the folder of the results. The cost shown is about what execution costs, where endpoint and catalog tell the price; idle workers and their start come on top. Exit codes: 0 all completed, 13 some did not, 9 the time of --max-time was up, 130 interrupted, 14 trouble with a file.',
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
    [
      'berth jobs batch run demo --input items.jsonl --out results/ --name nightly --store postgres://berth@db.example.com/berth',
      'with books in a database, for several machines',
    ],
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

const work = defineCommand({
  output: BATCH_END,
  summary: 'drive a batch of a store together with other machines',
  changesMachine: true,
  costs: true,
  waits: true,
  details:
    'Joins the drivers of a batch that run --store has begun. Each driver claims shards of the input, sends their items and publishes their results. A driver that is killed or loses its network loses its shards when their lease ends; the next one fetches the results of the jobs that were sent. Ends when the whole batch is done.',
  args: { batch: arg.text('the name of the batch') },
  options: workOptions,
  examples: [['berth jobs batch work nightly --store postgres://berth@db.example.com/berth', 'from a second machine']],
  run: async (ctx, values) => {
    const [{ workShared }, { maxTimeOf }] = await Promise.all([import('./shared/run.ts'), import('./max-time.ts')]);
    return await workShared(ctx, { ...values, maxTime: await maxTimeOf(ctx, values) });
  },
});

const cancel = defineCommand({
  output: SHARED_STATUS,
  summary: 'stop all drivers of a batch of a store',
  changesMachine: true,
  details:
    'Nothing more is sent. Results of jobs that were sent are still fetched and published; jobs at the service are not cancelled. batch resume goes on with it.',
  args: { batch: arg.text('the name of the batch') },
  options: storeOptions,
  examples: [['berth jobs batch cancel nightly --store postgres://berth@db.example.com/berth', 'send nothing more']],
  run: async (ctx, values) => (await import('./shared/status.ts')).cancelShared(ctx, values),
});

const status = defineCommand({
  output: BATCH_STATUS,
  summary: 'explain how a batch stands, from its files alone',
  examples: [['berth jobs batch status results.jsonl', 'what is done, what is left']],
  details:
    'Sends nothing and changes nothing, and may be asked while the batch runs. The same counts, times, cost and commonest errors as at the end of a run; batch report has all of them.',
  args: { results: arg.text('the results file of the batch', { complete: 'file' }) },
  options: {
    exitStatus: option.on('end 13 unless every item completed'),
    clean: option.on('with --store: remove results that a driver wrote and did not publish'),
    ...storeOptions,
  },
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
  options: { html: option.text('write a page with charts to this file', { metavar: 'FILE' }), ...storeOptions },
  examples: [
    ['berth jobs batch report results.jsonl', 'counts, cost, times, and why items failed'],
    ['berth jobs batch report results.jsonl --html report.html', 'the same as a page with charts'],
  ],
  run: async (ctx, values) => (await import('./report/index.ts')).report(ctx, values),
});

const exportResults = defineCommand({
  output: BATCH_EXPORT,
  summary: 'write the results of a batch as CSV, JSON, JSON lines or Parquet',
  changesMachine: true,
  details:
    'One row for each item that has ended, with its last result, in bounded memory, also while the batch runs. --join-input adds the input of each item, in the order of the input. --fields names members, such as output.text: they are the columns of a CSV. Nested members of a CSV are JSON. In a Parquet file input and output are JSON text, and every other column, also one of --fields, has the type of its values: boolean, integer, number or text, and JSON text where they differ. With --out the file takes its name when it is complete; a file that exists is replaced only with --force. --fetch-outputs writes no rows: it downloads the files at the addresses that outputs have at FIELD, a path such as images.url (. is the output itself), with the number of the item in their names. Files come only from hosts of --fetch-from, redirects too; length and stated digests are compared, manifest.jsonl lists size and SHA-256 of each file, and running it again downloads what is missing. It ends 13 when some files were not downloaded, and 15 when they did not fit into --max-total. The key is never sent.',
  args: { results: arg.text('the results file of the batch', { complete: 'file' }) },
  options: {
    format: option.choice('what to write (default jsonl)', ['csv', 'json', 'jsonl', 'parquet']),
    joinInput: option.on('add the input of each item, in the order of the input'),
    ordered: option.on('in the order of the input'),
    out: option.text('write to this file, in place of stdout', { metavar: 'FILE' }),
    force: option.on('replace the file of --out if it exists'),
    ...fetchOptions,
    input: option.text('where the input lies now, if not where it was', { metavar: 'FILE' }),
    ...storeOptions,
  },
  examples: [
    ['berth jobs batch export results.jsonl --format csv --out results.csv', 'a table for a spreadsheet'],
    ['berth jobs batch export results.jsonl --join-input --fields input,output', 'inputs beside their outputs'],
    ['berth jobs batch export results.jsonl --format parquet --out results.parquet', 'a table for a data engine'],
    [
      'berth jobs batch export results.jsonl --fetch-outputs image.url --into images --fetch-from files.example.com',
      'the files that outputs name',
    ],
  ],
  run: async (ctx, values) =>
    values.fetchOutputs === undefined
      ? (await import('./export.ts')).exportBatch(ctx, values)
      : (await import('./fetch-outputs.ts')).fetchBatchOutputs(ctx, values),
});

export const batch = defineGroup(
  'run a job for each line of a file, and account for every one',
  { run, work, resume, cancel, status, report, export: exportResults },
  'Results go to the file that --out names; beside it lies a journal, from which a batch goes on after anything. An item that was sent and whose answer was lost is unknown: it is listed, and never sent again unless --resubmit unknown says so.',
);
