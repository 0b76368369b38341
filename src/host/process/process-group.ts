import { type ChildProcess, type spawn as startProgram, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Stream, type Writable } from 'node:stream';
import { type Failure, localFile, usage } from '../../core/failure.ts';
import { errorCode } from '../../core/files.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { isHangupIgnored } from '../runtime/signals.ts';
import { SECRET_VARIABLES } from '../../settings/settings-table.ts';

/** In its own session: no signals from the terminal. No shell: does nothing. Throws EMFILE. */
function startWatcherShell(spawn: typeof startProgram, path: string | undefined, script: string): Writable {
  const shell = spawn('/bin/sh', ['-c', script, 'berth-watcher'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: path },
    detached: true,
  });
  shell.on('error', () => undefined);
  if (!isStream(shell.stdin)) throw tooManyOpenFiles();
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return shell.stdin;
}

/** Node creates no stream for a child when no file descriptor is free. */
export const isStream = (stream: unknown): boolean => stream instanceof Stream;

/** Node reports it later, as an event of the child. */
export const tooManyOpenFiles = (): Error => Object.assign(new Error('too many open files'), { code: 'EMFILE' });

/** Kills the groups (`add N`, `remove N`) when stdin ends without `over`: SIGTERM, after 3 s SIGKILL. */
const GROUP_WATCHER_SCRIPT = `
trap '' HUP INT TERM
groups=' '
while read -r word group; do
  case $word in
    add) groups="$groups$group " ;;
    remove) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
    over) exit ;;
  esac
done
living() {
  for one in $groups; do kill -s 0 -- "-$one" && echo "$one"; done 2>/dev/null
}
for one in $groups; do kill -s TERM -- "-$one"; done 2>/dev/null
for wait in 1 2 3; do
  [ "$(living)" ] || exit
  sleep 1
done
for one in $(living); do kill -s KILL -- "-$one"; done 2>/dev/null
`;

/** A shell that outlives this process and then kills the registered groups. */
export interface GroupWatcher {
  /** The child's process id must be its group's. The shell runs first, so that no child is unwatched. */
  start<C extends Pick<ChildProcess, 'pid'>>(start: () => C): C;
  remove(group: number): void;
}

/** Runs a shell only while there are groups. Without a shell they are not watched. */
export function createGroupWatcher(path: string | undefined): GroupWatcher {
  const groups = new Set<number>();
  let input: Writable | undefined;
  const endIfIdle = (): void => {
    if (groups.size > 0) return;
    input?.end('over\n');
    input = undefined;
  };
  return {
    start: (start) => {
      input ??= startWatcherShell(spawn, path, GROUP_WATCHER_SCRIPT);
      try {
        const child = start();
        if (child.pid !== undefined) {
          groups.add(child.pid);
          input.write(`add ${String(child.pid)}\n`);
        }
        return child;
      } finally {
        endIfIdle();
      }
    },
    remove: (group) => {
      if (!groups.delete(group)) return;
      input?.write(`remove ${String(group)}\n`);
      endIfIdle();
    },
  };
}

/** Kills process N (`watch N`) and descendants when stdin ends without `over`: SIGTERM, 3 s, SIGKILL. */
const WATCHER_SCRIPT = `
trap '' HUP INT TERM
root=
while read -r word process; do
  case $word in watch) root=$process ;; over) exit ;; esac
done
[ "$root" ] || exit
children() {
  if [ -r "/proc/$1/task/$1/children" ]; then cat /proc/"$1"/task/*/children; else ps -o pid= --ppid "$1" || pgrep -P "$1"; fi 2>/dev/null
}
tree() {
  for child in $(children "$1"); do ( tree "$child" ); done
  echo "$1"
}
all=$(tree "$root")
living() {
  for one in $all; do kill -0 "$one" && echo "$one"; done
}
kill -TERM $all
for wait in 1 2 3; do
  sleep 1
  [ "$(living)" ] || exit
done
kill -KILL $(living)
`;

/** Does nothing when there is no such group. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // The group is empty.
  }
}

/** Zombies do not count: where nothing reaps them they stay forever. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  return hasRunningMember(group);
}

/** From /proc; true without it. */
function hasRunningMember(group: number): boolean {
  let processes: readonly string[];
  try {
    processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return true;
  }
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

/** What is the same for all programs that berth starts for the user. */

/** Kills the child and descendants when this process ends in any way. Start it before the child. */
export const startWatcher = ({ platform, env }: Runtime, spawn: typeof startProgram): Writable | undefined =>
  platform === 'win32' ? undefined : startWatcherShell(spawn, env['PATH'], WATCHER_SCRIPT);

/** Node resets an ignored SIGHUP (`nohup`) for children. A missing program then ends with 127. */
export const withIgnoredHangup = (
  { platform, env }: Pick<Runtime, 'platform' | 'env'>,
  command: string,
  args: readonly string[],
): readonly [string, readonly string[]] =>
  platform !== 'win32' && isHangupIgnored(env, process.ppid)
    ? ['/bin/sh', ['-c', 'trap "" HUP; exec "$@"', 'sh', command, ...args]]
    : [command, args];

/** Usage (2), or local-file (14). */
export function failedToStart(command: string, error: NodeJS.ErrnoException): Failure {
  if (error.code === 'ENOENT')
    return usage(`there is no program ${JSON.stringify(command)}`, 'Check its name and PATH.');
  if (error.code === 'EACCES') return usage(`${JSON.stringify(command)} cannot be run: permission denied`);
  return localFile(`cannot run ${JSON.stringify(command)}: ${error.code ?? error.message}`, undefined, error);
}

/** For other programs: without the user's keys. */
export const withoutKeys = (env: Runtime['env']): Runtime['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_VARIABLES.includes(name)));
