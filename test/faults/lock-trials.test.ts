import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeForgedLock, HOLDERS } from '../support/files/forged-lock.ts';
import { buildWorker, createPlace, HERE, OWN_PIDS, ownHost, overlaps, STARTS, works } from '../trials/lock-trial.ts';
import type { Around, Place, Worker } from '../trials/lock-trial.ts';
import { NO_LINKS } from '../trials/no-links.ts';

// Row 36 of docs/faults.md: never two holders, and always one of them gets the lock. Real processes and namespaces;
// LOCK_TRIALS=40 makes 40 starts of each trial. A trial is skipped if this machine lacks the rights or programs for it.

const PER_START_MS = 5000;
const timeout = 300_000 + STARTS * PER_START_MS;
const root = process.getuid?.() === 0;
const onLinux = process.platform === 'linux';

let program: Awaited<ReturnType<typeof buildWorker>>;
beforeAll(async () => {
  program = await buildWorker();
});
afterAll(() => {
  program.remove();
});

/** Starts workers at the same time, spread over the given environments. All must do their work, one after the other. */
async function together(place: Place, surroundings: readonly Around[]): Promise<void> {
  const workers = Array.from({ length: STARTS }, (_, at) => place.start(surroundings[at % surroundings.length]));
  await allWork(place, workers);
}

async function allWork(place: Place, workers: readonly Worker[]): Promise<void> {
  for (const { ended } of workers) expect(await ended).toEqual({ code: 0, errors: '' });
  expect(overlaps(place.witness())).toEqual([]);
  expect(place.witness()).toHaveLength(2 * workers.length);
  expect([...place.journal()].sort()).toEqual(workers.flatMap(({ done }) => done()).sort());
  expect(existsSync(join(place.folder, 'lock'))).toBe(false);
}

describe('many workers at once', () => {
  test('in one namespace', { timeout }, async () => {
    await together(createPlace(program.file), [HERE]);
  });

  test.skipIf(!works(OWN_PIDS))('in PID namespaces with one host name', { timeout }, async () => {
    await together(createPlace(program.file), [OWN_PIDS]);
  });

  test.skipIf(!works(ownHost('one')))('on two host names', { timeout }, async () => {
    await together(createPlace(program.file), [ownHost('one'), ownHost('two')]);
  });

  test.skipIf(!works(NO_LINKS))('where the system makes no links', { timeout }, async () => {
    await together(createPlace(program.file), [NO_LINKS]);
  });
});

describe.runIf(onLinux)('one after the other', () => {
  test.skipIf(!root)('where the number of the holder now belongs to another user', { timeout }, async () => {
    const place = createPlace(program.file);
    const user = 65_534;
    for (const file of ['', 'witness', 'journal']) await chown(join(place.folder, file), user, user);
    await chmod(join(program.file, '..'), 0o755);
    for (let at = 0; at < STARTS; at++) {
      const owner = writeForgedLock(join(place.folder, 'lock'), HOLDERS.reused(1));
      for (const folder of [owner, join(owner, '..'), join(owner, '..', '..')]) await chown(folder, user, user);
      expect(await place.start(HERE, { uid: user }).ended).toEqual({ code: 0, errors: '' });
    }
    expect(overlaps(place.witness())).toEqual([]);
    expect(existsSync(join(place.folder, 'lock.seized'))).toBe(false);
  });

  test('where each holder is killed at work and stays a zombie', { timeout }, async () => {
    const place = createPlace(program.file);
    const unreaped: Around = ['sh', '-c', '"$@" & echo pid $!; exec sleep 600', 'sh'];
    const killed = new Set<string>();
    for (let at = 0; at < STARTS; at++) {
      const worker = place.start(unreaped, { steps: 1_000_000 });
      await place.seen(`enter ${worker.name}`);
      const printed = (): string | undefined => /^pid (\d+)$/m.exec(worker.done().join('\n'))?.[1];
      // What the shell prints may be read after what its program has written.
      while (printed() === undefined) await new Promise(setImmediate);
      const pid = Number(printed());
      process.kill(pid, 'SIGKILL');
      while (!readFileSync(`/proc/${String(pid)}/stat`, 'utf8').includes(') Z ')) await new Promise(setImmediate);
      killed.add(worker.name);
    }
    await place.start().ended;
    expect(overlaps(place.witness(), killed)).toEqual([]);
    expect(place.witness().at(-1)).toMatch(/^leave/);
    // No worker waited for a heartbeat.
    expect(place.witness()).toHaveLength(STARTS + 2);
  });

  test.skipIf(!works(OWN_PIDS))('where each holder is killed with its namespace', { timeout }, async () => {
    const place = createPlace(program.file);
    const killed = new Set<string>();
    for (let at = 0; at < STARTS; at++) {
      const worker = place.start(OWN_PIDS, { steps: 1_000_000 });
      await place.seen(`enter ${worker.name}`);
      worker.child.kill('SIGKILL');
      await worker.ended;
      killed.add(worker.name);
    }
    expect(await place.start(OWN_PIDS).ended).toEqual({ code: 0, errors: '' });
    expect(overlaps(place.witness(), killed)).toEqual([]);
  });

  test.skipIf(!works(OWN_PIDS))(
    'where each holder is stopped, taken over from, and continued',
    { timeout },
    async () => {
      const place = createPlace(program.file);
      const steps = new Map<string, readonly string[]>();
      for (let at = 0; at < STARTS; at++) {
        const first = place.start(OWN_PIDS, { steps: 1_000_000 });
        await place.seen(`enter ${first.name}`);
        const [pid = 0] = childrenOf(first.child.pid ?? 0);
        process.kill(pid, 'SIGSTOP');
        const second = place.start(OWN_PIDS);
        await place.seen(`enter ${second.name}`);
        process.kill(pid, 'SIGCONT');
        expect(await second.ended).toEqual({ code: 0, errors: '' });
        expect(await first.ended).toEqual({ code: 3, errors: '' });
        for (const { name, done } of [first, second]) steps.set(name, done());
      }
      // Every reported step is in the file, and no step of a holder follows the first one of the next holder.
      const journal = place.journal();
      for (const done of steps.values()) for (const step of done) expect(journal).toContain(step);
      const names = journal.map((line) => line.split(' ')[0] ?? '');
      expect(names.filter((name, at) => name !== names[at - 1])).toEqual(
        [...steps.keys()].filter((n) => names.includes(n)),
      );
    },
  );
});

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number);
