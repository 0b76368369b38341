/**
 * A script for `sh` that ends a process and all its descendants when its standard input ends without a line; its
 * argument is the process id. First SIGTERM, three seconds later SIGKILL for those that are left. Descendants are found
 * by /proc, and by `ps` where there is none.
 */
export const WATCHER = `
trap '' HUP INT TERM
read -r word && exit
children() {
  if [ -r "/proc/$1/task/$1/children" ]; then cat /proc/"$1"/task/*/children; else ps -o pid= --ppid "$1" || pgrep -P "$1"; fi 2>/dev/null
}
tree() {
  for child in $(children "$1"); do ( tree "$child" ); done
  echo "$1"
}
all=$(tree "$1")
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
