import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { canTestWorkers, folderWith, serveLocal, until, type Folder } from './support.ts';

/** Python that marks with a file that it is at work on a job, and says when it began and when it was done. */
const KILLED_HANDLER = `
import os, time
def handler(job):
    with open("begun", "a") as file:
        file.write(job["id"] + "\\n")
    open("busy-%d" % os.getpid(), "w").close()
    time.sleep(0.02)
    os.unlink("busy-%d" % os.getpid())
    with open("done", "a") as file:
        file.write(job["id"] + "\\n")
    return job["input"]["n"]
`;

/** Kills a process that is at work on a job; false when there is none now. */
function killBusy(folder: Folder): boolean {
  for (const name of readdirSync(folder.path).filter((each) => each.startsWith('busy-'))) {
    const pid = Number(name.slice('busy-'.length));
    try {
      // Stopped first: its job cannot end between the look and the kill.
      process.kill(pid, 'SIGSTOP');
    } catch {
      continue;
    }
    if (folder.has(name)) {
      process.kill(pid, 'SIGKILL');
      return true;
    }
    process.kill(pid, 'SIGCONT');
  }
  return false;
}

const JOBS = 100;

/**
 * Serves jobs and kills a worker with a job every third of a second: every job ends, each execution is accounted for, and
 * `retried` equals the kills that hit a job.
 */
async function serveWhileKilled(): Promise<void> {
  const folder = await folderWith({ 'worker.py': KILLED_HANDLER });
  const served = await serveLocal(folder, ['--endpoint', 'up=worker.py']);
  await served.call('PATCH /v2/serverless/up', { workers: { min: 3, max: 3, idleTimeout: 60 } });
  const ids = await Promise.all(Array.from({ length: JOBS }, async (_, n) => (await served.run('up', { n })).id));
  let kills = 0;
  const ended = async (): Promise<boolean> => {
    const { jobs } = await served.health('up');
    return jobs['inQueue'] === 0 && jobs['inProgress'] === 0;
  };
  while (!(await ended())) {
    await until(async () => killBusy(folder) || (await ended()));
    if (!(await ended())) kills += 1;
    await pause(300);
  }
  const { jobs } = await served.health('up');
  const results = await Promise.all(ids.map((id) => served.status('up', id)));
  expect(results.map(({ status, output }) => [status, output])).toEqual(ids.map((_, n) => ['COMPLETED', n]));
  expect(kills).toBeGreaterThan(0);
  expect(jobs).toMatchObject({ completed: JOBS, failed: 0, retried: kills });
  // Each kill is one execution that began and was not done.
  expect(folder.lines('begun').length).toBe(JOBS + kills);
  expect(folder.lines('done').toSorted()).toEqual(ids.toSorted());
  expect(served.stderr().match(/was ended by SIGKILL/g)?.length).toBe(kills);
}

describe.skipIf(!canTestWorkers)('workers that are killed', () => {
  test('every job ends, each execution is accounted for, and `retried` equals the kills that hit a job', () =>
    serveWhileKilled());
});
