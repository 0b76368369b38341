import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../core/failure.ts';
import { errorCode } from '../../core/files.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import type { ProcessEnd, ProcessSpec, RunningProcess, StartProcess } from '../../local/index.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { withoutKeys } from './programs.ts';
import { createWatcher, isGroupAlive, signalGroup, type Watcher } from './watcher.ts';

type ProcessRuntime = Pick<Runtime, 'env' | 'platform' | 'clock'>;

/** From SIGTERM to SIGKILL. */
const GRACE_MS: Milliseconds = 5000;
const CHECK_INTERVAL_MS: Milliseconds = 20;
/** For the output of an ended process: its descendants may keep it open. */
const OUTPUT_WAIT_MS: Milliseconds = 500;
/** After SIGKILL. */
const KILL_WAIT_MS: Milliseconds = 2000;

export function createStartProcess(runtime: ProcessRuntime): StartProcess {
  const watcher = createWatcher(runtime);
  return (spec) => {
    try {
      return startIn(runtime, watcher, spec);
    } catch (error) {
      // For example a variable that is too long: only this program's error, like a missing program.
      const ended = Promise.resolve({ error: errorCode(error) ?? messageOf(error) });
      return { ended, stop: () => Promise.resolve(), kill: () => undefined };
    }
  };
}

/** Throws for a refused program, argument or environment, or too many open files. */
function startIn(runtime: ProcessRuntime, watcher: Watcher, spec: ProcessSpec): RunningProcess {
  const { platform, clock } = runtime;
  const child = watcher.start('group', () => spawnChild(runtime, spec));
  const group = platform === 'win32' ? undefined : child.pid;
  child.stdout.on('data', spec.onStdout);
  child.stderr.setEncoding('utf8').on('data', spec.onStderr);
  // A program may ignore its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(spec.input ?? '');

  const closed = new Promise((resolve) => child.once('close', resolve));
  const exited = new Promise<ProcessEnd>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) resolve({ error: error.code ?? error.message });
    });
    child.once('exit', (code, signal) => {
      resolve(signal === null ? { code: code ?? 0 } : { signal });
    });
  });
  const isAlive = (): boolean =>
    group === undefined
      ? child.pid !== undefined && child.exitCode === null && child.signalCode === null
      : isGroupAlive(group);
  const send = (signal: 'SIGTERM' | 'SIGKILL'): void => {
    if (group !== undefined) signalGroup(group, signal);
    else if (isAlive()) spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
  };
  const untilGone = async (timeoutMs: Milliseconds): Promise<void> => {
    const end = clock.monotonic() + timeoutMs;
    while (isAlive() && clock.monotonic() < end) await clock.sleep(CHECK_INTERVAL_MS);
  };
  const endGroup = async (): Promise<void> => {
    send('SIGTERM');
    await untilGone(GRACE_MS);
    if (isAlive()) send('SIGKILL');
    await untilGone(KILL_WAIT_MS);
    watcher.remove(child);
  };
  let ending: Promise<void> | undefined;
  const stop = (): Promise<void> => (ending ??= endGroup());
  return {
    ended: exited.then(async (end) => {
      await Promise.race([closed, pause(OUTPUT_WAIT_MS, undefined, { ref: false })]);
      void stop();
      return end;
    }),
    stop: async () => {
      await stop();
      await exited;
    },
    kill: () => {
      send('SIGKILL');
    },
  };
}

function spawnChild({ env, platform }: ProcessRuntime, { command, cwd, env: own }: ProcessSpec) {
  const [program = '', ...args] = typeof command === 'string' ? [command] : command;
  return spawn(program, args, {
    cwd,
    env: { ...withoutKeys(env), ...own },
    shell: typeof command === 'string',
    // Its own session and group: Ctrl-C reaches only this process, which then ends the group.
    detached: platform !== 'win32',
  }) satisfies ChildProcessWithoutNullStreams;
}
