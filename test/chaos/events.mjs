/** Runs the events of a round: those during a run of the batch, and those between two runs. */
import { rename } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { editInput, sizeOf } from './files.mjs';
import { sleep } from './processes.mjs';
import { setClock } from './service.mjs';

/** Approximate bytes of the journal for each finished item. */
const JOURNAL_BYTES_PER_ITEM = 90;
const POLL_MS = 15;

/** Waits for the moment of an event. Resolves with false when the batch ended before it. */
async function waitForMoment(moment, run, { plan, files }) {
  const full = plan.items * JOURNAL_BYTES_PER_ITEM;
  for (;;) {
    if (run.isOver) return false;
    if (moment.afterMs === undefined) {
      if ((await sizeOf(files.journal)) / full >= moment.progress) break;
    } else if (performance.now() - run.begunAt >= moment.afterMs) return true;
    await sleep(POLL_MS);
  }
  await sleep(moment.delayMs);
  return !run.isOver;
}

/**
 * Runs the events of one run, each at its moment. An event returns false when it does not apply. Resolves when the run has
 * ended and every event is undone: the service is up, the program is installed, moved files are back.
 */
export async function runEvents(events, run, round) {
  await Promise.all(
    events.map(async (event) => {
      if (!(await waitForMoment(event.moment, run, round))) return;
      if ((await DURING[event.kind](event, run, round)) !== false) round.count(event.kind);
    }),
  );
}

const note = (round, run, text, cause) => {
  round.log(`${Math.round(performance.now() - run.begunAt)} ms: ${text}`);
  if (cause !== undefined) run.causes.add(cause);
};

const DURING = {
  kill: async (_, run, round) => {
    note(round, run, 'SIGKILL', 'SIGKILL');
    run.signal('SIGKILL');
  },
  interrupt: async ({ signal }, run, round) => {
    const ignored = signal === 'SIGHUP' && run.ignoresHangUp;
    note(round, run, signal + (ignored ? ', ignored' : ''), ignored ? 'ignored SIGHUP' : signal);
    run.signal(signal);
  },
  'service-kill': async ({ downMs }, run, round) => {
    await round.withService(async (service) => {
      note(round, run, `the service is killed, for ${downMs} ms`, 'service-kill');
      await service.kill();
      await sleep(downMs);
      await service.open();
    });
  },
  'service-pause': async ({ forMs }, run, round) => {
    await round.withService(async (service) => {
      note(round, run, `the service is stopped for ${forMs} ms`, 'service-pause');
      await service.pause(forMs);
    });
  },
  fault: async ({ fault }, run, round) => {
    await round.withService(async (service) => {
      note(round, run, `fault ${JSON.stringify(fault)}`, fault.kind);
      await service.addFault(fault);
    });
  },
  'batch-jump': async ({ byMs }, run, round) => {
    note(round, run, `the clock of the batch jumps by ${byMs} ms`, 'batch-jump');
    await round.jumpBatch(byMs);
  },
  'service-jump': async ({ byMs }, run, round) => {
    await round.withService(async (service) => {
      note(round, run, `the clock of the service jumps by ${byMs} ms`, 'service-jump');
      await service.jump(byMs);
    });
  },
  'input-edit': async ({ edit, at }, run, round) => {
    // Before the journal exists the input is not validated yet, so an edit would only define another batch.
    if (run.causes.has('input-edit') || (await sizeOf(round.files.journal)) === 0) return false;
    run.causes.add('input-edit');
    note(round, run, `input: ${await editInput(round.files.input, edit, at, round.plan)}`, `input-edit-${edit}`);
    return true;
  },
  'files-away': async ({ file }, run, round) => {
    const place = round.files[file];
    // The file does not exist yet, or another event has moved it.
    if ((await sizeOf(place)) === 0) return false;
    run.causes.add('files-away');
    await rename(place, `${place}.away`);
    note(round, run, `${file} moved away`, `files-away-${file}`);
    await run.ended;
    await rename(`${place}.away`, place);
    return true;
  },
  upgrade: async ({ gapMs }, run, round) => {
    return await round.alone(async () => {
      // Only after the program was loaded: a program that Node cannot find is not tested here.
      if (run.isOver || (await sizeOf(round.files.journal)) === run.journalBytes) return false;
      note(round, run, `the program is replaced, gone for ${gapMs} ms`, 'upgrade');
      await round.install.upgrade(gapMs);
      return true;
    });
  },
  pause: async ({ forMs, second }, run, round) => {
    note(round, run, `stopped for ${forMs} ms`, 'pause');
    run.signal('SIGSTOP');
    await sleep(forMs / 2);
    const other = second ? round.startSecondProcess(run) : undefined;
    await sleep(forMs / 2);
    run.signal('SIGCONT');
    await other;
  },
  'second-driver': async (_, run, round) => {
    await round.startSecondProcess(run);
  },
};

/** Runs the event between two runs. */
export async function applyBetweenRuns(event, round) {
  const { service } = round;
  round.count(`${event.kind} between`);
  if (event.kind !== 'nothing') round.log(`between: ${JSON.stringify(event)}`);
  switch (event.kind) {
    case 'batch-jump':
      await round.jumpBatch(event.byMs);
      break;
    case 'service-jump':
      await service.jump(event.byMs);
      break;
    case 'service-restart':
      await service.kill(event.signal);
      await service.open();
      break;
    case 'advance-clock':
      await service.readJobs();
      await service.advance(event.byMs);
      break;
  }
}

/** Sets the wall clock of the batch through the file that its process follows. */
export function createBatchClock(file) {
  let offsetMs = 0;
  return {
    offset: () => offsetMs,
    jump: async (byMs) => {
      offsetMs += byMs;
      await setClock(file, offsetMs);
    },
  };
}
