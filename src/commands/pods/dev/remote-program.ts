import { safeText } from '../../../core/safe-text.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { createByteQueue } from '../reach/files/byte-queue.ts';
import type { ReachablePod } from '../reach/reach-pod.ts';
import { remoteCommand } from '../reach/remote-command.ts';
import { sshArguments } from '../reach/ssh-arguments.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

/** The command that runs in a pod. */
export interface RemoteProgram {
  /** Its exit code; 255 where ssh failed. */
  readonly ended: Promise<number>;
  /** Sends it a signal, and SIGKILL after a while. Resolves when it has ended. */
  stop(signal: string): Promise<void>;
}

/** Time to end after a signal. */
const GRACE_MS: Milliseconds = 10_000;

/**
 * Runs the command in a group of its own where the pod has setsid. A line of stdin is a signal for it, and the end of stdin ends it:
 * so it does not go on when the connection has broken, and another one does not run beside it. A server may send SIGHUP then: what
 * reads the lines must outlive it to see that end.
 */
const SCRIPT = `exec 3<&0 </dev/null
cd -- "$1" || exit
shift
if command -v setsid >/dev/null 2>&1; then setsid "$@" 3<&- & else "$@" 3<&- & fi
p=$!
(
  trap '' HUP
  while IFS= read -r s; do kill -s "$s" -- "-$p" 2>/dev/null || kill -s "$s" "$p"; done
  kill -s TERM -- "-$p" 2>/dev/null || kill -s TERM "$p"
  sleep ${String(GRACE_MS / 1000)}
  kill -s KILL -- "-$p" 2>/dev/null || kill -s KILL "$p"
) <&3 >/dev/null 2>&1 &
r=$!
# The shell would say "Terminated".
exec 3<&- 2>/dev/null
wait "$p"
c=$?
kill "$r"
exit "$c"`;

/** Starts it in a folder. Its output goes to stdout and stderr as it comes. */
export async function startRemoteProgram(
  ctx: CommandContext,
  pod: ReachablePod,
  folder: string,
  command: readonly string[],
): Promise<RemoteProgram> {
  const line = remoteCommand(['sh', '-c', SCRIPT, 'sh', folder, ...command], { cwd: undefined, env: [] });
  const input = createByteQueue();
  const decoder = new TextDecoder();
  const program = await ctx.spawn.start('ssh', await sshArguments(ctx, pod, { line }), {
    input: input.bytes,
    onOutput: (bytes) => {
      ctx.rawOutput.write(bytes).catch(() => undefined);
    },
    onError: (bytes) => void ctx.stderr.write(safeText(decoder.decode(bytes, { stream: true }), true)),
  });
  let isOver = false;
  const ended = program.ended.then((code) => {
    isOver = true;
    input.end();
    return code;
  });
  const send = (signal: string): void => {
    input.add(Buffer.from(`${signal}\n`));
  };
  return {
    ended,
    stop: async (signal) => {
      if (isOver) return;
      send(signal);
      const inTime = new AbortController();
      const late = ctx.clock.sleep(GRACE_MS, inTime.signal).then(
        () => {
          send('KILL');
        },
        () => undefined,
      );
      await Promise.race([ended, late]);
      inTime.abort(new Error('it has ended'));
      await ended;
    },
  };
}
