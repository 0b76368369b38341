import { errorCode } from '../../core/files.ts';
import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { ProcessEnd, ProcessSpec, RunningProcess, StartProcess } from '../../local/index.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { withoutKeys } from './programs.ts';
import { createWatcher, isGroupAlive, isStream, signalGroup, tooManyOpenFiles, type Watcher } from './watcher.ts';
import { messageOf } from '../../core/failure.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

type ProcessRuntime = Pick<Runtime, 'env' | 'platform' | 'clock'>;

/** From SIGTERM to SIGKILL. */
const GRACE_MS: Milliseconds = 5000;
/** Also how long the output of an ended process is awaited. */
const CHECK_INTERVAL_MS: Milliseconds = 20;
const OUTPUT_WAIT_MS = 500;
/** After SIGKILL. */
const KILL_WAIT_MS: Milliseconds = 2000;

export function createStartProcess(runtime: ProcessRuntime): StartProcess {
  const watcher = createWatcher(runtime);
  return (spec) => startIn(runtime, watcher, spec);
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

function startIn(runtime: ProcessRuntime, watcher: Watcher, spec: ProcessSpec): RunningProcess {
  const { platform, clock } = runtime;
  const start = (): Child => spawnChild(runtime, spec);
  let child: Child;
  try {
    child = watcher.start('group', start);
  } catch (error) {
    // For example a variable that is too long: only this program's error, like a missing program.
    return notStarted(error);
  }
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
    else if (child.pid !== undefined && isAlive())
      spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
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
    if (group !== undefined) watcher.remove(group);
  };
  let ending: Promise<void> | undefined;
  const stop = (): Promise<void> => (ending ??= endGroup());
  return {
    ended: exited.then(async (end) => {
      const waited = clock.deadline(OUTPUT_WAIT_MS);
      const timeout = new Promise((resolve) => {
        waited.signal.addEventListener('abort', resolve);
      });
      // Its descendants may keep its output open.
      await Promise.race([closed, timeout]);
      waited.cancel();
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

const notStarted = (error: unknown): RunningProcess => ({
  ended: Promise.resolve({ error: errorCode(error) ?? messageOf(error) }),
  stop: () => Promise.resolve(),
  kill: () => undefined,
});

/** Throws for a refused program, argument or environment, or too many open files. */
function spawnChild({ env, platform }: ProcessRuntime, spec: ProcessSpec): Child {
  const [program = '', ...args] = typeof spec.command === 'string' ? [spec.command] : spec.command;
  const child: ChildProcess = spawn(program, args, {
    cwd: spec.cwd,
    env: { ...withoutKeys(env), ...spec.env },
    shell: typeof spec.command === 'string',
    // Its own session and group: Ctrl-C reaches only this process, which then ends the group.
    detached: platform !== 'win32',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (hasStreams(child)) return child;
  // The event of this error comes later.
  child.on('error', () => undefined);
  throw tooManyOpenFiles();
}

/** Node returns a child without streams when no file descriptor is free. */
const hasStreams = (child: ChildProcess): child is Child => [child.stdin, child.stdout, child.stderr].every(isStream);
