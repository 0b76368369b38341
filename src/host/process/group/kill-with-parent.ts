/**
 * A script for `sh` that kills a process and all its descendants when its standard input ends without the line `over`. The
 * line `watch N` names the process. It sends SIGTERM, and after three seconds SIGKILL to the remaining ones. Descendants
 * are found in /proc, or with `ps` when there is no /proc.
 */
export const WATCHER_SCRIPT = `
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
