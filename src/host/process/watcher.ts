import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { errorCode } from '../../core/files.ts';
import type { Runtime } from '../runtime/runtime.ts';

/**
 * Reads `add N` and `remove N`; N is a process, -N a group. When stdin ends without `over`, it ends each process with its
 * descendants, and each group: SIGTERM, after 3 s SIGKILL.
 */
const SCRIPT = `
trap '' HUP INT TERM
targets=' '
while read -r word target; do
  case $word in
    add) targets="$targets$target " ;;
    remove) case $targets in *" $target "*) targets="\${targets%% $target *} \${targets#* $target }" ;; esac ;;
    over) exit ;;
  esac
done
children() {
  if [ -r "/proc/$1/task/$1/children" ]; then cat /proc/"$1"/task/*/children; else ps -o pid= --ppid "$1" || pgrep -P "$1"; fi 2>/dev/null
}
tree() {
  for child in $(children "$1"); do ( tree "$child" ); done
  echo "$1"
}
all=
for one in $targets; do
  case $one in -*) all="$all $one" ;; *) all="$all $(tree "$one")" ;; esac
done
living() {
  for one in $all; do kill -s 0 -- "$one" && echo "$one"; done 2>/dev/null
}
for one in $all; do kill -s TERM -- "$one"; done 2>/dev/null
for wait in 1 2 3; do
  [ "$(living)" ] || exit
  sleep 1
done
for one in $(living); do kill -s KILL -- "$one"; done 2>/dev/null
`;

/** A shell that outlives this process and then ends what was started. */
export interface Watcher {
  /** Fails with EMFILE. The shell runs first, so that no child is unwatched. A `group` is led by the child. */
  start<C extends ChildProcess>(kind: 'group' | 'tree', start: () => C): C;
  remove(child: ChildProcess): void;
}

/** Runs a shell only while there is something to watch. Without a shell, and on Windows, nothing is watched. */
export function createWatcher({ env, platform }: Pick<Runtime, 'env' | 'platform'>): Watcher {
  const targets = new Map<number, string>();
  let input: Writable | undefined;
  const endIfIdle = (): void => {
    if (targets.size > 0) return;
    input?.end('over\n');
    input = undefined;
  };
  return {
    start: (kind, start) => {
      if (platform === 'win32') return start();
      input ??= startShell(env['PATH']);
      try {
        const child = start();
        checkStreams(child);
        const { pid } = child;
        if (pid !== undefined) {
          const target = `${kind === 'group' ? '-' : ''}${String(pid)}`;
          targets.set(pid, target);
          input.write(`add ${target}\n`);
        }
        return child;
      } finally {
        endIfIdle();
      }
    },
    remove: ({ pid = 0 }) => {
      const target = targets.get(pid);
      if (target === undefined) return;
      targets.delete(pid);
      input?.write(`remove ${target}\n`);
      endIfIdle();
    },
  };
}

/** In its own session: no signals from the terminal. */
function startShell(path: string | undefined): Writable {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'berth-watcher'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: path },
    detached: true,
  });
  shell.on('error', () => undefined);
  checkStreams(shell);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return shell.stdin;
}

/** When no file descriptor is free, Node creates no streams, and reports it later, as an event of the child. */
function checkStreams(child: ChildProcess): void {
  if ('stdin' in child) return;
  (child as ChildProcess).on('error', () => undefined);
  throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
}

/** Does nothing when there is no such group. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // The group is empty.
  }
}

/** Zombies do not count: where nothing reaps them they stay forever. Without /proc they do. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  const processes = existsSync('/proc/self') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return processes.length === 0 || processes.some((id) => isRunningMember(id, group));
}

function isRunningMember(id: string, group: number): boolean {
  try {
    // PID (NAME) STATE PARENT GROUP ...; the name may contain anything.
    const [state, , member] = (/.*\) (.*)$/s.exec(readFileSync(`/proc/${id}/stat`, 'utf8'))?.[1] ?? '').split(' ');
    return member === String(group) && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
