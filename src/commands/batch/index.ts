import { defineCommand, defineGroup, endedWhen } from '../../cli/model/command.ts';
import { either } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { exportOptions, resumeOptions, runOptions } from './options.ts';
import { BATCH_END, BATCH_EXPORT, BATCH_FILES, BATCH_LIST, BATCH_PLAN, BATCH_REPORT, BATCH_STATUS } from './schemas.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { memberAt } from '../../core/json.ts';

/** 9 after `--max-time`. */
const DRIVE_EXITS = [EXIT.waitEnded, EXIT.batchIncomplete];

const run = defineCommand({
  output: either(BATCH_END, BATCH_PLAN),
  summary: 'submit a job for each line of a file and fetch all results',
  changesMachine: true,
  needs: 'write',
  details:
    'Each item of the input is one job. An item is a line of JSON, sent byte for byte, or a row of a CSV file, sent as an object of its columns. The whole input is checked before anything is sent.\nResults are JSON lines, written as jobs end. `item` is the number of the item in the input, from 1; empty lines are not counted, invalid ones are. The value of --id-field is added as a label; it need not be unique.\nCSV: columns are separated by commas and are text, unless --types or a header such as price:number gives a type. A cell that an export of berth has put an apostrophe before loses it, and so does any cell that looks like one: stderr says how many did. --csv-raw takes cells as they are. A cell that does not have its type is an error that names row and column. The column of --input-field contains JSON. A file with broken quotes is refused, also with --skip-invalid.\n--skip-invalid leaves out invalid lines and rows. Input from a pipe is copied to RESULTS.input, for a resume.\nThe cost is an estimate of execution, if endpoint and catalog tell the price; idle workers and the start of workers cost more.\nExit codes: 0 all completed, 13 some did not, 9 the time of --max-time was over, 130 interrupted, 14 trouble with a file.',
  args: { endpoint: arg.text('endpoint id, name or model slug', { complete: ENDPOINTS }) },
  options: runOptions,
  writes: true,
  costs: true,
  waits: true,
  exits: DRIVE_EXITS,
  examples: [
    ['berth jobs batch run demo --input items.jsonl --out results.jsonl', 'a job for each line'],
    ['berth jobs batch run demo --input items.csv --id-field sku --out priced.jsonl', 'rows of a CSV file'],
    ['berth jobs batch run demo --input items.csv --types price:number,tags:json --out r.jsonl', 'with typed columns'],
    ['berth jobs batch resume results.jsonl', 'continue after any interruption'],
  ],
  run: async (ctx, values) => (await import('./run.ts')).runBatch(ctx, values),
});

const resume = defineCommand({
  output: BATCH_END,
  summary: 'continue a batch after any interruption',
  changesMachine: true,
  needs: 'write',
  details:
    'What was submitted is not sent again, unless --resubmit says so: items that failed, expired, timed out or were cancelled, and unknown ones that may have been submitted, are then sent as new jobs, at any age. --only-error chooses among them by their error. The new result replaces the old one. An expired or unknown item may run twice. --retry-failed asks the service to run the same job again, within 30 minutes of its end. Results that the service no longer keeps are counted as expired. --rate, --concurrency, --in-flight, --max-failures and --max-time of the first run are not remembered: give them again.',
  args: { results: arg.text('the results file of the batch', { complete: 'file' }) },
  options: resumeOptions,
  costs: true,
  waits: true,
  exits: DRIVE_EXITS,
  examples: [
    ['berth jobs batch resume results.jsonl', 'continue'],
    ['berth jobs batch resume results.jsonl --retry-failed 2', 'and run failed jobs again, twice at most'],
    [
      "berth jobs batch resume results.jsonl --resubmit failed --only-error 'out of memory'",
      'new jobs for some failures',
    ],
  ],
  run: async (ctx, values) => (await import('./resume.ts')).resume(ctx, values),
});

const remove = defineCommand({
  output: BATCH_FILES,
  summary: 'remove a batch with its results',
  changesMachine: true,
  needs: 'full',
  details:
    'Shows what it will remove, and asks: the results and the journal beside them. Inputs stay, except for the copy of one that could be read only once. A batch that a process works on is not removed.',
  args: { batch: arg.text('the results file of the batch', { complete: 'file' }) },
  options: { dryRun: option.on('show what would be removed; it only reads') },
  prepare: async (ctx, values) => (await import('./removal.ts')).findBatchFiles(ctx, values),
  preparesFirst: true,
  confirm: async (_, values, found) => (await import('./removal.ts')).confirmRemoval(values, found),
  examples: [['berth jobs batch remove results.jsonl --yes', 'the results, and the journal beside them']],
  run: async (ctx, values, found) => (await import('./removal.ts')).removeBatch(ctx, values, found),
});

const list = defineCommand({
  output: BATCH_LIST,
  summary: 'list the batches of a folder',
  details: 'Sends nothing and changes nothing.',
  args: { folder: arg.optional('the folder; the current one by default', { complete: 'file' }) },
  examples: [['berth jobs batch list', 'those whose results are here']],
  run: async (ctx, values) => (await import('./list.ts')).listBatches(ctx, values),
});

const status = defineCommand({
  output: BATCH_STATUS,
  summary: 'show the progress of a batch, from its files only',
  examples: [['berth jobs batch status results.jsonl', 'what is done, what is left']],
  details:
    'Sends nothing and changes nothing. You can use it while the batch runs. It shows the same counts, times, cost and commonest errors as the end of a run; batch report shows more.',
  args: { results: arg.text('the results file of the batch', { complete: 'file' }) },
  options: {
    exitStatus: option.on('end 13 unless every item completed'),
  },
  exits: [EXIT.batchIncomplete],
  watch: endedWhen((row) => memberAt(row, 'state') !== 'running'),
  // Loaded on demand: no other command of jobs needs this code.
  run: async (ctx, values) => (await import('./status.ts')).status(ctx, values),
});

const report = defineCommand({
  output: BATCH_REPORT,
  summary: 'report on a batch: counts, cost, times and failures by pattern',
  details:
    'Reads the journal and the results, and may be asked while the batch runs or after it was killed; it sends nothing. Failures are grouped by their error, with numbers, ids, paths and addresses masked. Quantiles are within 1% of the exact value. Cost is that of execution at the price of a worker when the batch ran, without idle and starting workers. --html writes one page with bars that loads nothing.',
  args: { results: arg.text('the results file of the batch', { complete: 'file' }) },
  options: { html: option.text('write a page with bars to this file', { metavar: 'FILE' }) },
  examples: [
    ['berth jobs batch report results.jsonl', 'counts, cost, times, and why items failed'],
    ['berth jobs batch report results.jsonl --html report.html', 'the same as a page'],
  ],
  run: async (ctx, values) => (await import('./report.ts')).report(ctx, values),
});

const exportResults = defineCommand({
  output: BATCH_EXPORT,
  summary: 'write the results of a batch as CSV, JSON or JSON lines',
  changesMachine: true,
  details:
    'One row for each item that has ended, with its last result, in bounded memory, also while the batch runs. --join-input adds the input of each item, in the order of the input. --fields names members, such as output.text: they are the columns of a CSV. Nested members of a CSV are JSON. With --out the file takes its name when it is complete; a file that exists is replaced only with --force.',
  args: { results: arg.text('the results file of the batch', { complete: 'file' }) },
  options: exportOptions,
  examples: [
    ['berth jobs batch export results.jsonl --format csv --out results.csv', 'a table for a spreadsheet'],
    ['berth jobs batch export results.jsonl --status failed --join-input', 'the inputs that failed, with their errors'],
    ['berth jobs batch export results.jsonl --join-input --fields input,output', 'inputs beside their outputs'],
  ],
  run: async (ctx, values) => (await import('./export.ts')).exportBatch(ctx, values),
});

export const batch = defineGroup(
  'run a job for each line of a file, and record what became of each',
  { run, resume, list, status, report, export: exportResults, remove },
  'Results are written to the file of --out. The journal beside it lets a batch continue after any interruption. An item whose submission got no answer is unknown: it is listed, and is sent again only with --resubmit unknown.',
);
