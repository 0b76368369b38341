/** One round: a batch over a local service, run again and again through the events of its plan until it is done. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { between, createBatchClock, disturb } from './events.mjs';
import { unexplained } from './exit-codes.mjs';
import { makeInput, readResults, restoreInPlace, sizeOf } from './files.mjs';
import { leftOver, readCounts, wrongAtEnd, wrongInOutput, wrongSoFar } from './oracle.mjs';
import { start } from './processes.mjs';
import { clockEnvironment, createService, setClock } from './service.mjs';

/** Runs without any event that a batch is given to end at last. */
const MOST_QUIET_RUNS = 6;
const BLOCK_BYTES = 512;

/**
 * Runs a round in `folder`, which is to be empty. `program` is the command of the service, `install` the program of the
 * batch, which is replaced now and then. Gives what was found wrong, and counts.
 */
export async function runRound(plan, { folder, program, install, boundMs }) {
  const round = await createRound(plan, { folder, install, program, boundMs });
  try {
    await round.service.begin();
    await goThrough(round);
  } catch (error) {
    round.found('the round broke down', error.stack);
  } finally {
    await round.service.kill('SIGTERM').catch((error) => round.found('the service does not end', error.message));
    for (const wrong of wrongInOutput(round.service.said()))
      round.found(`output of the service ${wrong}`, round.service.said().slice(-2000));
    await round.save();
  }
  return round.outcome;
}

async function createRound(plan, { folder, install, program, boundMs }) {
  await mkdir(folder, { recursive: true });
  const at = (name) => path.join(folder, name);
  const files = { input: at('in.jsonl'), results: at('out.jsonl'), journal: at('out.jsonl.journal') };
  const { items, text } = makeInput(plan);
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
  /** One after the other: who kills the service waits for who replaces the program. */
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
      // One of a kind is enough for a round: what follows from it is of the same kind.
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
  round.resumeAlone = async () => {
    const { command, ...options } = round.begin(resumeArgs);
    return checkOutput(round, await start(command, options).ended, 'a resume after an edit');
  };
  /** Another process on the same batch: it must stop at once, unless the first has just ended. */
  round.secondDriver = async (run) => {
    await alone(async () => {
      const { command, ...options } = round.begin((await sizeOf(files.journal)) > 0 ? resumeArgs : argsOf(round, {}));
      run.causes.add('second-driver');
      round.log('a second driver');
      const ended = checkOutput(round, await start(command, options).ended, 'the second driver');
      round.log(`the second driver ended ${ended.code ?? ended.signal}: ${ended.stderr.slice(0, 300)}`);
      const isFirstOver = run.isOver;
      const isRefused = ended.code === 14 || (ended.code === 2 && run.causes.has('input-edit'));
      if (!isRefused && !isFirstOver && !run.causes.has('upgrade') && !run.causes.has('pause'))
        round.found('a second driver was let in', `it ended ${ended.code ?? ended.signal}`);
    });
  };
  return round;
}

function argsOf({ plan }, { maxSeconds, resume = false, resubmitUnknown = false }) {
  const args = resume
    ? ['jobs', 'batch', 'resume', 'out.jsonl', ...(resubmitUnknown ? ['--resubmit-unknown'] : [])]
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

async function goThrough(round) {
  for (const step of round.plan.runs) {
    if (await isDone(round)) break;
    if (!(await between(step.before, round))) return;
    if (!(await runOnce(round, step))) return;
  }
  await round.service.clearFaults();
  for (let quiet = 0; !(await isDone(round)); quiet++) {
    if (quiet === MOST_QUIET_RUNS) {
      round.found('the batch does not come to an end', JSON.stringify(await statusOf(round)));
      return;
    }
    if (!(await runOnce(round, { events: [] }))) return;
  }
  const status = await statusOf(round);
  await round.service.look();
  const { lines } = await readResults(round.files.results);
  for (const wrong of wrongAtEnd(round.items, round.service, lines, status)) round.found(kindOf(wrong), wrong);
  round.outcome.unknown = status.unknown;
  for (const name of await readdir(path.dirname(round.files.results)))
    if (/\.(lock|new|ordered)\b/.test(name) && !name.startsWith('service')) round.found('a file is left behind', name);
}

/** Numbers and names taken out, so that findings of one kind count together. */
const kindOf = (text) => text.replaceAll(/[0-9a-f]{8}-u1|\b[mX]\d*-?[0-9a-z]*\b|-?\d+(\.\d+)?/g, 'N').slice(0, 110);

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
  if (status === undefined) throw new Error('how the batch stands cannot be read');
  return leftOver(status) === 0 && round.outcome.lastCode !== undefined && [0, 13].includes(round.outcome.lastCode);
}

function checkOutput(round, ended, who) {
  for (const wrong of wrongInOutput(ended.stdout + ended.stderr, round.service.key()))
    round.found(`output ${wrong}`, `${who}: ${(ended.stderr || ended.stdout).slice(0, 1500)}`);
  if (ended.hung)
    round.found(
      'hangs',
      `${who}: no end within ${ended.tookMs} ms (${round.clocks()}); it said: ${ended.stderr.slice(-500)}`,
    );
  return ended;
}

/** Under a limit on the size of files: the system takes a part of a write, then none, as a full disk does. */
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

/** One run of the batch through its events. False where the round cannot go on. */
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
  const both = [run];
  if (step.twoAtOnce === true) {
    run.causes.add('two-at-once');
    round.count('two at once');
    both.push(start(command, options));
  }
  const [ended, other] = await Promise.all([...both.map((each) => each.ended), disturb(step.events, run, round)]);
  outcome.runs += 1;
  // Faults and a moved clock of the service go on into the next run.
  outcome.lasting = [...run.causes].filter((cause) =>
    ['rate-limit', 'server-error', 'drop', 'accept-drop'].includes(cause),
  );
  // Of two at once it was the other that wrote, unless that one was refused.
  const wrote = (await sizeOf(files.journal)) !== sizeBefore && (other === undefined || other.code === 14);
  judge(round, run, ended, wrote);
  if (both.length === 2) judgeOther(round, run, ended, other);
  if (run.causes.has('input-edit')) await restoreInPlace(files.input, round.inputText);
  if (service.isGone()) {
    round.found('the service ended by itself', service.said().slice(-500));
    return false;
  }
  await service.look();
  const { lines } = await readResults(files.results);
  const wrong = wrongSoFar(round.items, service, lines, round.mayRepeat);
  for (const each of wrong.slice(0, 5))
    round.found(kindOf(each), `${each}${wrong.length > 5 ? ` (and ${wrong.length - 5} more)` : ''}`);
  return !ended.hung && other?.hung !== true && wrong.length === 0;
}

function judge(round, run, ended, wrote) {
  const { outcome } = round;
  const name = ended.hung ? 'hung' : String(ended.code ?? ended.signal);
  const causes = [...run.causes].join(', ');
  outcome.exits[name] = (outcome.exits[name] ?? 0) + 1;
  outcome.lastCode = ended.code;
  round.log(`ended ${name} after ${ended.tookMs} ms (${causes}); stderr: ${ended.stderr.slice(0, 1200)}`);
  checkOutput(round, ended, `the batch, after ${causes || 'nothing'}`);
  if (ended.hung) return;
  const strange = unexplained(ended, run.causes, wrote);
  if (strange !== undefined)
    round.found(`unexplained: exit ${ended.code ?? ended.signal}`, `${strange}: ${ended.stderr.slice(0, 700)}`);
  if (![0, 9, 13, 129, 130, 143].includes(ended.code) && ended.signal === undefined && ended.stderr.trim() === '')
    round.found('no reason given', `exit ${ended.code} without a word`);
  const { counts, wrong } = readCounts(ended.stdout);
  for (const each of wrong) round.found(kindOf(each), each);
  if (counts === undefined) return;
  if ((counts.tookSeconds ?? 0) * 1000 > ended.tookMs + 1000)
    round.found('tookSeconds is too long', `${counts.tookSeconds} s said, ${ended.tookMs} ms passed`);
  if (ended.code === 0 && counts.completed !== counts.planned)
    round.found('exit 0, and not all completed', ended.stdout);
  if (ended.code === 13 && leftOver(counts) > 0)
    round.found('exit 13 with items left, and no reason', `${ended.stdout} ${ended.stderr}`);
}

/** Of two that were started at once, one must get to work. */
function judgeOther(round, run, ended, other) {
  checkOutput(round, other, 'the other of two at once');
  round.log(`the other ended ${other.code ?? other.signal}: ${other.stderr.slice(0, 300)}`);
  const refused = [ended, other].filter(
    ({ code, stderr }) => code === 14 && /at work|exists already|lock/.test(stderr),
  );
  if (refused.length === 2) round.found('of two at once none gets to work', `${ended.stderr}\n${other.stderr}`);
  if (other.hung) return;
  const strange = unexplained(other, run.causes, false);
  if (strange !== undefined)
    round.found(
      `unexplained: exit ${other.code ?? other.signal} of the other`,
      `${strange}: ${other.stderr.slice(0, 700)}`,
    );
}
