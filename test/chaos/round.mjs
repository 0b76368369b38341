/** One round: runs a batch against a local service with the events of its plan, and resumes it until it is done. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkOtherRun, checkOutput, checkRun, kindOf } from './check-run.mjs';
import { applyBetweenRuns, createBatchClock, runEvents } from './events.mjs';
import { createInput, readResults, restoreInPlace, sizeOf } from './files.mjs';
import {
  remainingItems,
  readCounts,
  findProblemsAtEnd,
  findOutputProblems,
  findProblemsAfterRun,
} from './invariants.mjs';
import { start } from './processes.mjs';
import { clockEnvironment, createService, setClock } from './service.mjs';

/** Runs without events in which a batch must finish at the end. */
const MAX_UNDISTURBED_RUNS = 6;
const BLOCK_BYTES = 512;

/**
 * Runs a round in `folder`, which must be empty. `program` is the command of the service, `install` the program of the batch,
 * which some events replace. Returns the findings and the counts.
 */
export async function runRound(plan, { folder, program, install, boundMs }) {
  const round = await createRound(plan, { folder, install, program, boundMs });
  try {
    await round.service.begin();
    await runAll(round);
  } catch (error) {
    round.found('the round failed', error.stack);
  } finally {
    await round.service.kill('SIGTERM').catch((error) => round.found('the service does not end', error.message));
    for (const wrong of findOutputProblems(round.service.said()))
      round.found(`output of the service ${wrong}`, round.service.said().slice(-2000));
    await round.save();
  }
  return round.outcome;
}

async function createRound(plan, { folder, install, program, boundMs }) {
  await mkdir(folder, { recursive: true });
  const at = (name) => path.join(folder, name);
  const files = {
    input: at('in.jsonl'),
    results: at('out.jsonl'),
    journal: at('out.jsonl.journal'),
  };
  const { items, text } = createInput(plan);
  await writeFile(files.input, text);
  const batchClock = at('batch.clock');
  await setClock(batchClock, 0);
  const clock = createBatchClock(batchClock);
  const home = {
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH'] ?? ''}`,
    HOME: folder,
    BERTH_CONFIG_DIR: at('config'),
    BERTH_DATA_DIR: at('data'),
    TMPDIR: folder,
  };
  const lines = [];
  const outcome = { findings: [], counts: {}, exits: {}, runs: 0, items: items.length, unknown: 0, folder, plan };
  const count = (name, by = 1) => (outcome.counts[name] = (outcome.counts[name] ?? 0) + by);
  const service = createService({
    command: program,
    folder,
    env: { ...home, BERTH_DATA_DIR: at('service-data') },
    endpoint: plan.endpoint,
  });
  let turn = Promise.resolve();
  /** Runs work one at a time, so that events do not restart the service and replace the program at once. */
  const alone = (work) => {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  };
  const round = {
    plan,
    files,
    items,
    inputText: Buffer.from(text),
    service,
    install,
    outcome,
    count,
    alone,
    mayRepeat: new Map(),
    log: (line) => lines.push(line),
    found: (kind, detail) => {
      lines.push(`FOUND ${kind}: ${detail}`);
      // One finding of a kind per round: later ones usually follow from the first.
      if (!outcome.findings.some((each) => each.kind === kind)) outcome.findings.push({ kind, detail: String(detail) });
    },
    jumpBatch: clock.jump,
    clocks: () => `clocks: batch ${clock.offset()} ms, service ${service.offset()} ms`,
    withService: (work) => alone(() => work(service)),
    begin: (args, bound = boundMs) => {
      const [command, options] = [[...install.command, ...args], { ...home, ...service.environment() }];
      return { command, cwd: folder, env: { ...options, ...clockEnvironment(batchClock) }, boundMs: bound };
    },
    save: () => writeFile(at('round.log'), `${JSON.stringify(plan, undefined, 1)}\n${lines.join('\n')}\n`),
  };
  const resumeArgs = ['jobs', 'batch', 'resume', 'out.jsonl', '--json'];
  /** Starts a second process on the same batch, which must be refused unless the first has just ended. */
  round.startSecondProcess = async (run) => {
    await alone(async () => {
      const { command, ...options } = round.begin((await sizeOf(files.journal)) > 0 ? resumeArgs : argsOf(round, {}));
      run.causes.add('second-driver');
      round.log('a second process');
      const ended = checkOutput(round, await start(command, options).ended, 'the second process');
      round.log(`the second process ended ${ended.code ?? ended.signal}: ${ended.stderr.slice(0, 300)}`);
      const isFirstOver = run.isOver;
      const isRefused = ended.code === 14 || (ended.code === 2 && run.causes.has('input-edit'));
      run.secondWorked = !isRefused;
      if (!isRefused && !isFirstOver && !run.causes.has('upgrade') && !run.causes.has('pause'))
        round.found('a second process was not refused', `it ended ${ended.code ?? ended.signal}`);
    });
  };
  return round;
}

function argsOf({ plan }, { maxSeconds, resume = false, resubmitUnknown = false }) {
  const args = resume
    ? ['jobs', 'batch', 'resume', 'out.jsonl', ...(resubmitUnknown ? ['--resubmit', 'unknown'] : [])]
    : [
        'jobs',
        'batch',
        'run',
        plan.endpoint,
        '--input',
        'in.jsonl',
        '--out',
        'out.jsonl',
        '--input-field',
        'input',
        '--id-field',
        'label',
        ...(plan.ordered ? ['--ordered'] : []),
      ];
  const flags = [
    ['--rate', plan.rate],
    ['--in-flight', plan.inFlight],
    ['--retry-failed', plan.retryFailed],
    ['--timeout', maxSeconds === undefined ? undefined : `${maxSeconds}s`],
  ];
  return [...args, '--json', ...flags.flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]))];
}

async function runAll(round) {
  for (const step of round.plan.runs) {
    if (await isDone(round)) break;
    await applyBetweenRuns(step.before, round);
    if (!(await runOnce(round, step))) return;
  }
  await round.service.clearFaults();
  for (let quiet = 0; !(await isDone(round)); quiet++) {
    if (quiet === MAX_UNDISTURBED_RUNS) {
      round.found('the batch does not finish', JSON.stringify(await statusOf(round)));
      return;
    }
    if (!(await runOnce(round, { events: [] }))) return;
  }
  const status = await statusOf(round);
  await round.service.readJobs();
  const lines = await readResults(round.files.results);
  for (const wrong of findProblemsAtEnd(round.items, round.service, lines, status)) round.found(kindOf(wrong), wrong);
  round.outcome.unknown = status.unknown;
  for (const name of await readdir(path.dirname(round.files.results)))
    if (/\.(lock|new|ordered)\b/.test(name) && !name.startsWith('service')) round.found('a file was left over', name);
}

async function statusOf(round) {
  const { command, ...options } = round.begin(['jobs', 'batch', 'status', 'out.jsonl', '--json']);
  const ended = await start(command, options).ended;
  checkOutput(round, ended, 'batch status');
  const { counts, wrong } = readCounts(ended.stdout);
  for (const each of wrong) round.found(`status: ${kindOf(each)}`, each);
  if (counts === undefined)
    round.found('batch status fails', `${ended.code ?? ended.signal}: ${ended.stderr.slice(0, 500)}`);
  return counts;
}

async function isDone(round) {
  if ((await sizeOf(round.files.journal)) === 0) return false;
  const status = await statusOf(round);
  if (status === undefined) throw new Error('the status of the batch cannot be read');
  return (
    remainingItems(status) === 0 && round.outcome.lastCode !== undefined && [0, 13].includes(round.outcome.lastCode)
  );
}

/** Adds a file size limit, under which a write is cut and later writes fail, as on a full disk. */
async function limited(command, { fullDisk, ignoreHangUp }, files) {
  const setup = [];
  let program = '"$0" "$@"';
  if (fullDisk !== undefined) {
    const sizes = await Promise.all([files.journal, files.results].map(sizeOf));
    setup.push(`ulimit -f ${Math.floor(Math.max(...sizes) / BLOCK_BYTES) + fullDisk}`);
  }
  if (ignoreHangUp === true) {
    setup.push('trap "" HUP');
    // Node takes an ignored signal back when it starts: berth knows nohup by what a shell says of it.
    program = `env _=/usr/bin/nohup ${program}`;
  }
  return setup.length === 0 ? command : ['/bin/sh', '-c', `${setup.join('; ')}; exec ${program}`, ...command];
}

/** Runs the batch once with its events. Returns false when the round cannot continue. */
async function runOnce(round, step) {
  const { files, service, outcome } = round;
  const resume = (await sizeOf(files.journal)) > 0;
  const args = argsOf(round, { ...step, resume });
  if (resume && step.resubmitUnknown === true)
    for (const item of (await statusOf(round))?.unknownItems ?? [])
      round.mayRepeat.set(item, (round.mayRepeat.get(item) ?? 0) + 1);
  const { command, ...options } = round.begin(args);
  round.log(`run: ${args.slice(2).join(' ')} (${round.clocks()})`);
  const sizeBefore = await sizeOf(files.journal);
  const run = start(await limited(command, step, files), options);
  run.causes = new Set();
  run.journalBytes = sizeBefore;
  run.ignoresHangUp = step.ignoreHangUp === true;
  if (step.fullDisk !== undefined) run.causes.add('full-disk');
  if (step.maxSeconds !== undefined) run.causes.add('max-time');
  for (const cause of outcome.lasting ?? []) run.causes.add(cause);
  const both = step.twoAtOnce === true ? [run, start(command, options)] : [run];
  if (both.length === 2) {
    run.causes.add('two-at-once');
    round.count('two at once');
  }
  const [ended, other] = await Promise.all([...both.map((each) => each.ended), runEvents(step.events, run, round)]);
  outcome.runs += 1;
  // Faults and a moved clock of the service last into the next run.
  outcome.lasting = [...run.causes].filter((cause) =>
    ['rate-limit', 'server-error', 'drop', 'accept-drop'].includes(cause),
  );
  // What a second process wrote, unless it was refused, is no sign that this one had begun.
  const otherWorked = run.secondWorked === true || (other !== undefined && other.code !== 14);
  const wrote = (await sizeOf(files.journal)) !== sizeBefore && !otherWorked;
  checkRun(round, run, ended, wrote);
  if (both.length === 2) checkOtherRun(round, run, ended, other);
  if (run.causes.has('input-edit')) await restoreInPlace(files.input, round.inputText);
  if (service.isGone()) {
    round.found('the service ended by itself', service.said().slice(-500));
    return false;
  }
  await service.readJobs();
  const lines = await readResults(files.results);
  const wrong = findProblemsAfterRun(round.items, service, lines, round.mayRepeat);
  for (const each of wrong.slice(0, 5))
    round.found(kindOf(each), `${each}${wrong.length > 5 ? ` (and ${wrong.length - 5} more)` : ''}`);
  return !ended.hung && other?.hung !== true && wrong.length === 0;
}
