import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownIdentity, prepareLock } from '../../../../src/host/lock/lock-directory.ts';
import { createFileLocks } from '../../../../src/host/lock/file-locks.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { writeForgedLock, HOLDERS, identityOf } from '../../../support/files/forged-lock.ts';

const NOW = { subject: 'this', waitMs: 0 };
const TOKEN = '0123456789abcdef0123456f';
const onLinux = process.platform === 'linux';

function place(rename?: typeof renameSync) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-test-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const clock = createTestClock();
  const interrupt = new AbortController();
  const locks = createFileLocks({ clock, signal: interrupt.signal, ...(rename && { rename }) });
  return { folder, path: join(folder, 'l'), clock, interrupt, locks };
}

describe.runIf(onLinux)('a dead holder on this machine', () => {
  test.each([
    ['whose number nobody has', HOLDERS.dead],
    ['whose number this process has now', HOLDERS.reused],
    ['whose number the first process has now', () => HOLDERS.reused(1)],
  ])('%s is replaced at once', async (_, holder) => {
    const { folder, path, clock, locks } = place();
    writeForgedLock(path, holder());
    expect(await locks.holder(path)).toBeUndefined();
    const lock = await locks.take(path, NOW);
    expect(clock.slept).toEqual([]);
    expect(await locks.holder(path)).toMatchObject({ pid: process.pid });
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that is a zombie is replaced at once', async () => {
    const { path, clock, locks } = place();
    // The shell starts a process and replaces itself by another program, which never reads the exit code of the process.
    const parent = spawn('sh', ['-c', 'exec 3<&0; cat <&3 & echo $!; exec sleep 60']);
    onTestFinished(() => void parent.kill('SIGKILL'));
    const pid = await new Promise<number>((resolve) => {
      parent.stdout.once('data', (text: Buffer) => {
        resolve(Number(text.toString()));
      });
    });
    const stat = (of: number): string => readFileSync(`/proc/${String(of)}/stat`, 'utf8');
    // Ended only now: the shell itself would read the exit code.
    while (!stat(parent.pid ?? 0).includes('(sleep)')) await new Promise(setImmediate);
    parent.stdin.end();
    while (!stat(pid).includes(') Z ')) await new Promise(setImmediate);
    writeForgedLock(path, identityOf(pid));
    (await locks.take(path, NOW)).release();
    expect(clock.slept).toEqual([]);
  });
});

describe.runIf(onLinux)('a living holder on this machine', () => {
  test('is named and never replaced, even if its file does not change', async () => {
    const { path, clock, locks } = place();
    writeForgedLock(path, HOLDERS.self());
    await expect(locks.take(path, { subject: 'this', waitMs: 60_000 })).rejects.toMatchObject({
      exit: 14,
      message: `another berth is at work on this: process ${String(process.pid)}`,
    });
    expect(clock.monotonic()).toBeGreaterThanOrEqual(60_000);
  });

  test('is waited for, until Ctrl-C', async () => {
    const { folder, path, interrupt, clock, locks } = place();
    const first = await locks.take(path, NOW);
    const second = locks.take(path, { subject: 'this', waitMs: 60_000 });
    first.release();
    const held = await second;
    const third = locks.take(path, { subject: 'this', waitMs: 60_000 });
    interrupt.abort(new Error('Ctrl-C'));
    await expect(third).rejects.toThrow('Ctrl-C');
    expect(clock.monotonic()).toBeLessThan(1000);
    held.release();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe.each([
  ['on another host', HOLDERS.otherHost, 'process 1 on elsewhere'],
  ['in another namespace', HOLDERS.otherNamespace, 'in another container or namespace'],
  ['of a system that names no boot', () => ({ pid: 7, host: ownIdentity().host }), 'process 7 on '],
])('a holder %s', (_, holder, named) => {
  test('without a heartbeat for ten seconds is replaced, whatever the wall clock does', async () => {
    const { folder, path, clock, locks } = place();
    writeForgedLock(path, holder());
    clock.jumpWall(1_000_000_000);
    const waiting = locks.take(path, NOW);
    clock.jumpWall(-2_000_000_000);
    (await waiting).release();
    expect(clock.monotonic()).toBeGreaterThanOrEqual(10_000);
    expect(clock.monotonic()).toBeLessThan(11_000);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that changes its file is alive and is named, with its lock and advice', async () => {
    const { path, clock, locks } = place();
    const owner = writeForgedLock(path, holder());
    const waiting = locks.take(path, NOW);
    await clock.sleep(900);
    writeFileSync(owner, readFileSync(owner, 'utf8').replace(/0\n$/, '1\n'));
    await expect(waiting).rejects.toMatchObject({
      exit: 14,
      message: expect.stringContaining(named) as string,
      hint: expect.stringContaining(path) as string,
    });
    expect(clock.monotonic()).toBeLessThan(2000);
  });

  test('that wakes up after it was replaced writes only to files that are not read any more', async () => {
    const { folder, path, locks } = place();
    const file = join(folder, 'journal');
    writeFileSync(file, 'before');
    const descriptor = openSync(file, 'r+');
    writeForgedLock(path, holder());
    const lock = await locks.take(path, { ...NOW, files: [file, join(folder, 'none')] });
    writeSync(descriptor, 'late', 6);
    closeSync(descriptor);
    expect(readFileSync(file, 'utf8')).toBe('before');
    lock.release();
    expect(readdirSync(folder)).toEqual(['journal']);
  });
});

test('a gap in the watching counts as one heartbeat, because both processes may have been suspended', async () => {
  const { path, clock, locks } = place();
  writeForgedLock(path, HOLDERS.otherHost());
  const waiting = locks.take(path, NOW);
  await clock.sleep(1);
  clock.advance(100_000);
  const from = clock.monotonic();
  (await waiting).release();
  expect(clock.monotonic() - from).toBeGreaterThan(8000);
});

test('a lock with a broken owner file, as after a power cut, is replaced after ten seconds', async () => {
  const { path, clock, locks } = place();
  writeFileSync(writeForgedLock(path, HOLDERS.otherHost()), '');
  (await locks.take(path, NOW)).release();
  expect(clock.monotonic()).toBeGreaterThanOrEqual(10_000);
});

test.each([
  [
    'a file',
    (path: string) => {
      writeFileSync(path, 'mine');
    },
  ],
  [
    'a directory with other files',
    (path: string) => {
      mkdirSync(path);
      writeFileSync(join(path, 'a'), '');
    },
  ],
])('%s in the place of a lock is not touched', async (_, make) => {
  const { folder, path, locks } = place();
  make(path);
  await expect(locks.take(path, NOW)).rejects.toMatchObject({
    exit: 14,
    message: expect.stringContaining('is not a lock') as string,
  });
  expect(readdirSync(folder)).toEqual(['l']);
});

describe('a file system', () => {
  const failing = (code: string): Error => Object.assign(new Error(code), { code });

  test.each(['EEXIST', 'EPERM', 'EACCES'])(
    'that renames to no name in use, and says %s, has locks all the same',
    async (code) => {
      const { folder, path, locks } = place((from, to) => {
        if (readdirSync(join(String(to), '..')).includes('l')) throw failing(code);
        renameSync(from, to);
      });
      mkdirSync(path);
      const lock = await locks.take(path, NOW);
      await expect(locks.take(path, NOW)).rejects.toMatchObject({ exit: 14 });
      lock.release();
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test('that renames, and says ENOENT when it repeats that, has locks all the same', async () => {
    const { folder, path, locks } = place((from, to) => {
      renameSync(from, to);
      throw failing('ENOENT');
    });
    const lock = await locks.take(path, NOW);
    lock.check();
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('files that killed processes left beside a lock are removed; files that may be in use stay', async () => {
  const { folder, path, locks } = place();
  writeForgedLock(`${path}.${TOKEN}.gone`, HOLDERS.self());
  const token = (digit: string): string => `${TOKEN.slice(0, -1)}${digit}`;
  prepareLock(path, token('1'), HOLDERS.dead());
  prepareLock(path, token('2'), HOLDERS.self());
  prepareLock(path, token('3'), HOLDERS.otherHost());
  writeFileSync(`${path}.mine.new`, '');
  (await locks.take(path, NOW)).release();
  expect(readdirSync(folder)).toEqual([`l.${token('2')}.new`, `l.${token('3')}.new`, 'l.mine.new']);
});
