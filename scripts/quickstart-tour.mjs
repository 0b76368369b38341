/** What `npm run quickstart` shows. */

/** That a step has another end than it should have. */
export class Unexpected extends Error {}

/**
 * The steps in order. `berth` runs a command, which must end with 0 or the code that is given, `read` runs one and returns its
 * standard output, `say` prints what comes next. Fails as they do, and with Unexpected when a purge removes other jobs than it says.
 */
export async function tour({ berth, read }, say) {
  say('A network volume for data');
  await berth(['volumes', 'create', '--name', 'datasets', '--size', '100', '--data-center', 'EU-NORTH-1']);

  say('The pods of the account, and the details of a running one');
  await berth(['pods', 'list']);
  await berth(['pods', 'get', 'pod-train']);

  say('A job and its result: numbers are returned exactly as they were sent');
  await berth(['jobs', 'run', 'demo', '--input', '{"n":9007199254740993}', '--wait']);

  say('A job that streams its output');
  await berth(['jobs', 'run', 'stream', '--input', '{"chunks":3}', '--stream']);

  say('A job that fails (exit code 10), and a retry');
  const failed = (await read(['jobs', 'run', 'fail', '--input', '{}'])).trim();
  await berth(['jobs', 'wait', 'fail', failed], 10);
  await berth(['jobs', 'retry', 'fail', failed]);

  say('More jobs than workers: the purge removes those that wait, and those that run go on');
  for (let job = 1; job <= 5; job++) await berth(['jobs', 'run', 'sleep', '--input', '{"seconds":60}']);
  // The endpoint gets its third and last worker when jobs have waited for some seconds.
  await berth(['local', 'clock', 'advance', '30s']);
  const before = JSON.parse(await read(['health', 'sleep', '--json'])).jobs;
  const { removed } = JSON.parse(await read(['queue', 'purge', 'sleep', '--yes', '--json']));
  const after = JSON.parse(await read(['health', 'sleep', '--json'])).jobs;
  if (before.inProgress !== 3 || before.inQueue !== 2 || removed !== 2 || after.inProgress !== 3)
    throw new Unexpected('3 jobs were to run and 2 to wait; the purge was to remove these 2');
}
