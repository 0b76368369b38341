import { defineCommand, defineGroup } from '../../../cli/command.ts';
import { arg, option } from '../../../cli/parse/params.ts';
import { resumeOptions, runOptions } from './flags.ts';
import { ENDPOINTS } from '../../shared/collections.ts';

const run = defineCommand({
  summary: 'submit a job for each line of a file and fetch all results',
  details:
    'Each line of the input is one job: JSON, sent byte for byte; or a row of a CSV file with a header, sent as an object of its columns. All of it is checked before anything is sent. Results are written as JSON lines as they come: `item` counts the jobs of the input from 1, with those left out and without empty lines; the value of --id-field goes beside it as a label, and need not be unique. A CSV file has commas between its columns; the one of --input-field holds JSON. --skip-invalid leaves out lines and rows; where quotes of a CSV file are broken it has no rows. What is piped in is kept beside the results, as RESULTS.input, for a resume. The cost shown is about what execution costs, where endpoint and catalog tell the price; idle workers and their start come on top. Exit codes: 0 all completed, 13 some did not, 9 the time of --max-time was up, 130 interrupted, 14 trouble with a file.',
  args: { endpoint: arg.text('endpoint id, name or model slug', { complete: ENDPOINTS }) },
  options: runOptions,
  writes: true,
  examples: [
    ['berth jobs batch run demo --input items.jsonl --out results.jsonl', 'a job for each line'],
    ['berth jobs batch run demo --input items.csv --id-field sku --out priced.jsonl', 'rows of a CSV file'],
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
  summary: 'go on with a batch after anything that ended it',
  details:
    'What was submitted is not sent again; what may have been is unknown and stays so unless --resubmit-unknown sends it again, at the risk of running it twice. Results that the service no longer keeps are counted as expired. --rate, --concurrency, --in-flight, --max-failures and --max-time are those of this command: none is remembered.',
  args: { results: arg.text('the results file of the batch', { complete: 'file' }) },
  options: resumeOptions,
  examples: [
    ['berth jobs batch resume results.jsonl', 'go on'],
    ['berth jobs batch resume results.jsonl --retry-failed 2', 'and run failed jobs again, twice at most'],
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
  summary: 'explain how a batch stands, from its journal alone',
  examples: [
    ['berth jobs batch status results.jsonl', 'what is done, what is left'],
    ['berth jobs batch status results.jsonl --json', 'for a script'],
  ],
  details: 'Sends nothing and changes nothing, and may be asked while the batch runs.',
  args: { results: arg.text('the results file of the batch', { complete: 'file' }) },
  options: { exitStatus: option.on('end 13 unless every item completed') },
  watch: true,
  // Loaded on demand: no other command of jobs needs this code.
  run: async (ctx, values) => (await import('./status.ts')).status(ctx, values),
});

export const batch = defineGroup(
  'run a job for each line of a file, and account for every one',
  { run, resume, status },
  'Results go to the file that --out names; beside it lies a journal, from which a batch goes on after anything. An item that was sent and whose answer was lost is unknown: it is listed, and never sent again unless --resubmit-unknown says so.',
);
