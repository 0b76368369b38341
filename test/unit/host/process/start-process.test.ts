import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asText } from '../../../../src/local/workers/supervisor.ts';
import { realClock } from '../../../../src/host/runtime/runtime.ts';
import { isGroupAlive } from '../../../../src/host/process/watcher.ts';
import { createStartProcess } from '../../../../src/host/process/start-process.ts';
import type { ProcessSpec, RunningProcess } from '../../../../src/local/index.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

/** A clock on which the grace of five seconds is over at once. */
const impatient = { ...realClock, monotonic: () => realClock.monotonic() * 100 };

interface Started {
  readonly process: RunningProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly cwd: string;
}

async function start(
  command: ProcessSpec['command'],
  more: Partial<ProcessSpec> = {},
  env: Record<string, string> = {},
  clock = realClock,
): Promise<Started> {
  const cwd = temporaryDirectory();
  const startProcess = createStartProcess({
    env: { PATH: process.env['PATH'], ...env },
    platform: process.platform,
    clock,
  });
  let [out, err] = ['', ''];
  const running = startProcess({
    command,
    cwd,
    env: {},
    onStdout: asText((text) => (out += text)),
    onStderr: (text) => (err += text),
    ...more,
  });
  onTestFinished(async () => {
    running.kill();
    await running.stop();
  });
  return { process: running, out: () => out, err: () => err, cwd };
}

/** Waits for something that another process does. */
async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await pause(10);
}

/** Whether another process has written a line to a file. A file that is there may still be empty. */
const isWritten = (path: string): boolean => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n');

const pidIn = (path: string): number => Number(readFileSync(path, 'utf8'));

describe.skipIf(process.platform === 'win32')('a process of its own group', () => {
  test.each([
    ['echo out; echo err >&2; exit 3', { code: 3 }],
    ['kill -KILL $$', { signal: 'SIGKILL' }],
    ['no-such-program', { code: 127 }],
  ])('%s', async (command, end) => {
    const { process } = await start(command);
    expect(await process.ended).toEqual(end);
  });

  test('what it prints is read to its end, and its input is what was given', async () => {
    const { process, out, err } = await start('cat; echo err >&2', { input: 'ä{"n":1}' });
    expect(await process.ended).toEqual({ code: 0 });
    expect([out(), err()]).toEqual(['ä{"n":1}', 'err\n']);
  });

  test('a program that does not exist', async () => {
    const { process } = await start(['no-such-program', 'x']);
    expect(await process.ended).toEqual({ error: 'ENOENT' });
    await process.stop();
  });

  test('keys of the user are not passed on; variables of its own are', async () => {
    const env = { BERTH_API_KEY: 'secret-1', BERTH_API_KEY_FILE: 'secret-2', KEPT: 'kept' };
    const { process, out } = await start('env', { env: { OWN: 'own' } }, env);
    await process.ended;
    expect(out()).toContain('KEPT=kept');
    expect(out()).toContain('OWN=own');
    expect(out()).not.toContain('secret');
  });

  test('what ignores SIGTERM is killed after the grace, with its children', async () => {
    const script = `trap '' TERM; sh -c 'trap "" TERM; echo $$ > child; while :; do sleep 1; done' & echo $$ > self; wait; wait; wait`;
    const { process, cwd } = await start(script, {}, {}, impatient);
    await until(() => isWritten(join(cwd, 'child')) && isWritten(join(cwd, 'self')));
    const group = pidIn(join(cwd, 'self'));
    expect(isGroupAlive(group)).toBe(true);
    await process.stop();
    expect(isGroupAlive(group)).toBe(false);
    expect(await process.ended).toEqual({ signal: 'SIGKILL' });
  });

  test('the children of one that ends by itself are ended', async () => {
    const { process, cwd } = await start('sleep 300 & echo $$ > self; echo $! > child');
    expect(await process.ended).toEqual({ code: 0 });
    await process.stop();
    expect(isGroupAlive(pidIn(join(cwd, 'self')))).toBe(false);
  });
});
