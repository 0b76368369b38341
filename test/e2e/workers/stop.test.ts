import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  canTestWorkers,
  folderWith,
  isGroupAlive,
  localExec,
  serveLocal,
  until,
  untilGroupsEnd,
  type Folder,
} from './support.ts';

/** Sleeps as long as its input says. `groups` has the process group of each worker. */
const WORKER = `
import os, time
open("groups", "a").write("%d\\n" % os.getpgrp())
def handler(job):
    open("at-work", "a").write("%d %s\\n" % (os.getpid(), job["id"]))
    time.sleep(job["input"]["seconds"])
    return os.getpid()
`;

const groupsOf = (folder: Folder): readonly number[] => folder.lines('groups').map(Number);
const atWork = (folder: Folder, count: number) => until(() => folder.lines('at-work').length >= count);

describe.skipIf(!canTestWorkers)('a running Python handler', () => {
  test('cancel, execution timeout and time to live reach it: the job ends, and its process serves the next one', async () => {
    const folder = await folderWith({ 'worker.py': WORKER });
    const served = await serveLocal(folder, ['--endpoint', 'up=worker.py']);
    const stopped: string[] = [];
    for (const [more, end] of [
      [{}, 'CANCELLED'],
      [{ policy: { executionTimeout: 60_000 } }, 'TIMED_OUT'],
      [{ policy: { ttl: 60_000 } }, undefined],
    ] as const) {
      const { id } = await served.run('up', { seconds: 300 }, more);
      stopped.push(id);
      await atWork(folder, stopped.length);
      if (end === 'CANCELLED') await served.call(`POST /v2/up/cancel/${id}`);
      else await served.call('POST /local/clock', { advanceMs: 61_000 });
      if (end !== undefined) expect(await served.status('up', id)).toMatchObject({ status: end });
      await until(() => served.stderr().includes(`[up] Job ${id} was stopped.`));
    }
    const next = await served.run('up', { seconds: 0 });
    await until(async () => (await served.status('up', next.id)).status === 'COMPLETED');
    const { output } = await served.status('up', next.id);
    expect(folder.lines('at-work')).toEqual([...stopped, next.id].map((id) => `${String(output)} ${id}`));
  });

  test.each([
    ['one job at a time', 'Freed', ''],
    ['several at once, in threads', 'Freed', 'concurrency = 2'],
    ['one job at a time, a file that is closed', 'full_pipe', ''],
  ])('is stopped also while Python frees an object, where what is raised is lost: %s', async (_, freed, more) => {
    const worker = `
import os, time
${more}
def full_pipe(job):
    _, end = os.pipe()
    os.set_blocking(end, False)
    try:
        while True:
            os.write(end, b"x")
    except BlockingIOError:
        os.set_blocking(end, True)
    file = open(end, "w")
    file.write("waits until the file is freed")
    open("at-work", "a").write("%d %s\\n" % (os.getpid(), job["id"]))
class Freed:
    def __init__(self, job):
        self.job = job
    def __del__(self):
        open("at-work", "a").write("%d %s\\n" % (os.getpid(), self.job["id"]))
        # In steps: what stops a thread is raised at its next step of Python code.
        for _ in range(40):
            time.sleep(0.05)
def handler(job):
    if job["input"]["seconds"] == 0:
        return os.getpid()
    ${freed}(job)
    for _ in range(6000):
        time.sleep(0.05)
`;
    const folder = await folderWith({ 'worker.py': worker });
    const served = await serveLocal(folder, ['--endpoint', 'up=worker.py']);
    const { id } = await served.run('up', { seconds: 300 });
    await atWork(folder, 1);
    await served.call(`POST /v2/up/cancel/${id}`);
    await until(() => served.stderr().includes(`[up] Job ${id} was stopped.`));
    const next = await served.run('up', { seconds: 0 });
    await until(async () => (await served.status('up', next.id)).status === 'COMPLETED');
    const { output } = await served.status('up', next.id);
    expect(folder.lines('at-work')).toEqual([`${String(output)} ${id}`]);
  });

  test('a process that ignores job-stop and SIGTERM is gone after the grace, with its children', async () => {
    const stubborn = `
import os, signal, subprocess, time
open("groups", "a").write("%d\\n" % os.getpgrp())
def handler(job):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    child = subprocess.Popen(["sh", "-c", "trap '' TERM; while :; do sleep 1; done"])
    open("at-work", "a").write("%d %d\\n" % (os.getpid(), child.pid))
    while True:
        time.sleep(1)
`;
    const folder = await folderWith({ 'worker.py': stubborn });
    const served = await serveLocal(folder, ['--endpoint', 'up=worker.py']);
    const { id } = await served.run('up', {});
    await atWork(folder, 1);
    expect(groupsOf(folder).map(isGroupAlive)).toEqual([true]);
    await served.call(`POST /v2/up/cancel/${id}`);
    await untilGroupsEnd(groupsOf(folder));
    const { jobs, workers } = await served.health('up');
    expect([jobs['cancelled'], jobs['inProgress'], workers['running']]).toEqual([1, 0, 0]);
  });
});

describe.skipIf(!canTestWorkers)('nothing is left running', () => {
  const STARTS_CHILDREN = `
import os, subprocess
subprocess.Popen(["sleep", "300"])
${WORKER}`;

  test.each([
    ['up=worker.py', 0, 0],
    ['up=python3 "$BERTH_WORKER_RUNNER" worker.py & wait', 3, 300],
  ])('after `exec` with %s ends with %s, its workers idle or at work', async (endpoint, exit, seconds) => {
    const folder = await folderWith({ 'worker.py': STARTS_CHILDREN });
    const { code, stderr } = await localExec(
      folder,
      ['--endpoint', endpoint],
      `berth jobs run up --input '{"seconds":0}' --wait > /dev/null; berth jobs run up --input '{"seconds":${String(seconds)}}' > /dev/null; exit ${String(exit)}`,
    );
    expect(code, stderr).toBe(exit);
    const groups = groupsOf(folder);
    expect(groups.length).toBeGreaterThan(0);
    expect(groups.filter(isGroupAlive)).toEqual([]);
  });

  test.each([
    ['SIGTERM', 0],
    ['SIGKILL', 300],
  ] as const)('after `serve` was ended by %s', async (signal, seconds) => {
    const folder = await folderWith({ 'worker.py': STARTS_CHILDREN });
    const served = await serveLocal(folder, ['--endpoint', 'up=worker.py']);
    await served.run('up', { seconds });
    await atWork(folder, 1);
    await served.end(signal);
    if (signal !== 'SIGKILL') expect(groupsOf(folder).filter(isGroupAlive)).toEqual([]);
    await untilGroupsEnd(groupsOf(folder));
  });

  test('a worker that has a job when the service ends is told to finish, and is killed after the grace', async () => {
    const folder = await folderWith({
      'worker.py': WORKER.replace('return os.getpid()', 'open("finished", "w").write("yes")'),
    });
    const served = await serveLocal(folder, ['--endpoint', 'up=worker.py']);
    await served.run('up', { seconds: 1 });
    await atWork(folder, 1);
    await served.end('SIGTERM');
    expect(readFileSync(folder.at('finished'), 'utf8')).toBe('yes');
  });
});
