import { errorCode } from '../../core/files/file-errors.ts';
import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { ProcessEnd, ProcessSpec, RunningProcess, StartProcess } from '../../local/index.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { createGroupWatcher, type GroupWatcher } from './group/group-watcher.ts';
import { messageOf } from '../../core/failure.ts';
import { withoutKeys } from './environment.ts';
import { isGroupAlive, signalGroup } from './group/signal-group.ts';
import { isStream, tooManyOpenFiles } from './group/watcher-shell.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

type ProcessRuntime = Pick<Runtime, 'env' | 'platform' | 'clock'>;

/** The time from SIGTERM to SIGKILL. */
const GRACE_MS: Milliseconds = 5000;
/** How often a group is checked, and how long what an ended process has printed is awaited. */
const CHECK_INTERVAL_MS: Milliseconds = 20;
const OUTPUT_WAIT_MS = 500;
/** How long processes that got SIGKILL are awaited. */
const KILL_WAIT_MS: Milliseconds = 2000;

/** Returns the port that starts processes. */
export function createStartProcess(runtime: ProcessRuntime): StartProcess {
  const watcher = createGroupWatcher(runtime.env['PATH']);
  return (spec) => startIn(runtime, watcher, spec);
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

function startIn(runtime: ProcessRuntime, watcher: GroupWatcher, spec: ProcessSpec): RunningProcess {
  const { platform, clock } = runtime;
  const start = (): Child => spawnChild(runtime, spec);
  let child: Child;
  try {
    child = platform === 'win32' ? start() : watcher.start(start);
  } catch (error) {
    // For example a variable that is too long: an error of this program only, as that of a program that does not exist.
    return notStarted(error);
  }
  const group = platform === 'win32' ? undefined : child.pid;
  child.stdout.on('data', spec.onStdout);
  child.stderr.setEncoding('utf8').on('data', spec.onStderr);
  // A program that does not read its input is no error.
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
      // What the process has started may keep its output open.
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

/** A process that could not be started. */
const notStarted = (error: unknown): RunningProcess => ({
  ended: Promise.resolve({ error: errorCode(error) ?? messageOf(error) }),
  stop: () => Promise.resolve(),
  kill: () => undefined,
});

/** Throws when the system or Node refuses the program, its arguments or its environment, or there are too many open files. */
function spawnChild({ env, platform }: ProcessRuntime, spec: ProcessSpec): Child {
  const [program = '', ...args] = typeof spec.command === 'string' ? [spec.command] : spec.command;
  const child: ChildProcess = spawn(program, args, {
    cwd: spec.cwd,
    env: { ...withoutKeys(env), ...spec.env },
    shell: typeof spec.command === 'string',
    // A session and a process group of its own: Ctrl-C in the terminal reaches this process only, which then ends the group.
    detached: platform !== 'win32',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (hasStreams(child)) return child;
  // The event of this error comes later.
  child.on('error', () => undefined);
  throw tooManyOpenFiles();
}

/** False when there was no free file descriptor: Node then returns a child without streams. */
const hasStreams = (child: ChildProcess): child is Child => [child.stdin, child.stdout, child.stderr].every(isStream);
