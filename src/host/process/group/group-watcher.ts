import { spawn, type ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { startWatcherShell } from './watcher-shell.ts';

/**
 * A script for `sh` that kills process groups when its standard input ends without the line `over`. The lines `add N` and
 * `remove N` tell which groups there are. It sends SIGTERM, and after three seconds SIGKILL to the remaining ones.
 */
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

/** A shell that outlives this process and then ends the groups that are registered. */
export interface GroupWatcher {
  /**
   * Returns the child that `start` starts, whose process id is that of its group. The shell runs before, so that no child
   * is without it.
   */
  start<C extends Pick<ChildProcess, 'pid'>>(start: () => C): C;
  remove(group: number): void;
}

/** Returns a watcher whose shell runs while there are groups. Where there is no shell, the groups are not watched. */
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
