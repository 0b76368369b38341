/** The command in the pod: in a session of its own, its output in files, so that it survives a lost connection. */
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure } from '../../core/failure.ts';
import { type Json, type JsonObject, memberAt, stringAt } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { run } from '../../cli/hint.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { every, type Goal, until } from '../../cli/until.ts';
import { statusOf } from '../pods/reachable.ts';
import { readRow } from '../../cli/resource/targets.ts';
import { PODS } from '../pods/resource.ts';
import {
  quoted,
  type ReachablePod,
  runSshBeside,
  Said,
  SSH_FAILED,
  sshArguments,
  sshRefusal,
} from '../pods/ssh-command.ts';

/** The folder of a run, in the home folder of the pod. */
export const folderOf = (mark: string): string => `.berth/${mark}`;

/** Makes the folder of the command; that it answers says that the pod takes ssh. */
const prepareScript = (folder: string, workdir: string): string =>
  `mkdir -p ${quoted(folder)} ${quoted(workdir)} && chmod 700 ${quoted(folder)}`;

/** Started once, however often this is sent. The pid is that of the session and of its group. */
const startScript = (folder: string, workdir: string, env: readonly string[], command: readonly string[]): string => `
d=$HOME/${folder}
cd ${quoted(workdir)} || exit 1
mkdir "$d/started" 2>/dev/null || exit 0
export ${['BERTH_RUN=1', ...env].map(quoted).join(' ')}
s=setsid; command -v setsid >/dev/null || s=nohup
$s sh -c 'trap : TERM INT HUP; d=$0; echo $$ >"$d/pid"; "$@" >"$d/out" 2>"$d/err"; echo $? >"$d/new" && mv "$d/new" "$d/code"' "$d" ${command.map(quoted).join(' ')} </dev/null >/dev/null 2>&1 &`;

/** Prints what is new in frames: \`out 5\`, five bytes, \`err 2\`, two bytes, ..., \`code 0\` at the end, \`gone\` without one. */
const followScript = (folder: string, { out, err }: Readonly<Record<'out' | 'err', number>>): string => `
d=$HOME/${folder}; o=${String(out)}; e=${String(err)}
put() {
  n=$(($(wc -c <"$d/$1" 2>/dev/null || echo 0) - $2)); [ "$n" -gt 0 ] || return 1
  [ "$n" -le 1048576 ] || n=1048576
  echo "$1 $n"; tail -c +$(($2 + 1)) "$d/$1" | head -c "$n"
}
echo berth-run
while :; do
  c=$(cat "$d/code" 2>/dev/null); p=$(cat "$d/pid" 2>/dev/null); m=
  kill -0 "$p" 2>/dev/null || g=1$g
  put out "$o" && o=$((o + n)) && m=1
  put err "$e" && e=$((e + n)) && m=1
  [ -z "$m" ] || continue
  [ -z "$c" ] || { echo "code $c"; exit 0; }
  [ \${#g} -lt 50 ] || { echo gone; exit 0; }
  sleep 0.1 2>/dev/null || sleep 1
done`;

/** Ends it: SIGTERM, and SIGKILL where it goes on for five seconds. */
const endScript = (folder: string): string => `
d=$HOME/${folder}; p=$(cat "$d/pid") || exit 0
kill -TERM "-$p" 2>/dev/null || kill -TERM "$p"
i=0; while [ "$i" -lt 25 ]; do [ ! -e "$d/code" ] || exit 0; i=$((i + 1)); sleep 0.2 2>/dev/null || sleep 1; done
kill -KILL "-$p" 2>/dev/null || kill -KILL "$p"`;

/**
 * Runs a script in the pod. It goes through stdin, since an argument would show its variables, and in braces, so that it is read
 * whole before it begins. Fails with 5 where the script fails. Returns whether it ran; else ssh failed.
 */
async function runScript(
  ctx: CommandContext,
  pod: ReachablePod,
  script: string,
  onOutput: (bytes: Uint8Array) => void | Promise<void> = () => undefined,
): Promise<{ readonly isRun: boolean; readonly said: readonly string[] }> {
  const said = new Said();
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`{\n${script}\n}\n`);
  }
  const args = await sshArguments(ctx, pod, { line: 'exec sh -s' });
  const code = await runSshBeside(ctx, args, { input: input(), onOutput, onError: said.take });
  ctx.signal.throwIfAborted();
  if (code !== 0 && code !== SSH_FAILED)
    throw new Failure({
      code: 'pod-file',
      exit: EXIT.refused,
      message: `pod ${pod.name}: ${safeText(said.lines.at(-1) ?? `exit code ${String(code)}`)}`,
      id: pod.id,
    });
  return { isRun: code === 0, said: said.lines };
}

/** Waits until the pod takes ssh (9), and makes the folders. */
export async function enter(
  ctx: CommandContext,
  pod: ReachablePod,
  [folder, workdir]: readonly [string, string],
  timeoutMs: number,
): Promise<void> {
  let refusal: Failure | undefined;
  const read = async () => {
    const { isRun, said } = await runScript(ctx, pod, prepareScript(folder, workdir));
    refusal = sshRefusal(pod, said);
    return { status: 200, headers: {}, text: '', value: { isRun, said: said.at(-1) ?? '' } };
  };
  const goal: Goal = {
    noun: 'pod',
    name: 'answering ssh',
    done: (row) => memberAt(row, 'isRun') === true,
    describe: (row) => stringAt(row, 'said') ?? 'no answer',
  };
  const [end] = await until(ctx, [{ id: pod.id, read }], goal, timeoutMs);
  if (end?.failure?.code === 'wait-ended')
    throw (refusal ?? end.failure).with({
      exit: EXIT.waitEnded,
      hint: 'The image needs an SSH server that starts with it.',
    });
  if (end?.failure !== undefined) throw end.failure;
}

/** Starts the command. A start whose answer was lost is sent again: it starts once. */
export async function startCommand(
  ctx: CommandContext,
  pod: ReachablePod,
  [folder, workdir]: readonly [string, string],
  variables: JsonObject,
  command: readonly string[],
): Promise<void> {
  // What stands for a secret is known in the container alone.
  const env = Object.entries(variables).flatMap(([name, value]) =>
    /^[A-Za-z_]\w*$/.test(name) && typeof value === 'string' && !value.includes('{{') ? [`${name}=${value}`] : [],
  );
  await persistently(ctx, pod, () => runScript(ctx, pod, startScript(folder, workdir, env, command)));
}

export async function endCommand(ctx: CommandContext, pod: ReachablePod, folder: string): Promise<void> {
  await runScript(ctx, pod, endScript(folder));
}

/**
 * Prints the command's output from its first byte, through lost connections, and returns its exit code. Fails with 10 where the
 * pod or the command is gone.
 */
export async function follow(ctx: CommandContext, pod: ReachablePod, folder: string): Promise<number> {
  const printed = { out: 0, err: 0 };
  const frames = { end: undefined as string | undefined };
  await persistently(ctx, pod, async () => {
    const take = framesOf(async (stream, bytes) => {
      await ctx.programOutput[stream](bytes);
      printed[stream] += bytes.byteLength;
    }, frames);
    return await runScript(ctx, pod, followScript(folder, printed), take);
  });
  if (frames.end !== undefined && frames.end !== 'gone') return Number(frames.end);
  throw died(pod, 'the command ended without an exit code: it was killed');
}

/** Takes frames apart. What a shell prints when it starts comes before the first one, and is left out. */
function framesOf(
  write: (stream: 'out' | 'err', bytes: Uint8Array) => Promise<void>,
  found: { end: string | undefined },
): (bytes: Uint8Array) => Promise<void> {
  let [head, left, isStarted, stream] = ['', 0, false, 'out' as 'out' | 'err'];
  return async (bytes) => {
    for (let at = 0; at < bytes.byteLength;) {
      if (left > 0) {
        const part = bytes.subarray(at, at + left);
        await write(stream, part);
        left -= part.byteLength;
        at += part.byteLength;
        continue;
      }
      const end = bytes.indexOf(10, at);
      head += Buffer.from(bytes.subarray(at, end < 0 ? undefined : end)).toString('latin1');
      if (end < 0) return;
      at = end + 1;
      const [, word, number] = /^(out|err|code|gone)(?: (\d{1,15}))?$/.exec(head) ?? [];
      if (!isStarted) isStarted = head === 'berth-run';
      else if (word === 'out' || word === 'err') [stream, left] = [word, Number(number)];
      else if (word !== undefined) found.end = number ?? word;
      head = '';
    }
  };
}

const FIRST_MS: Milliseconds = 250;
const LONGEST_MS: Milliseconds = 5000;

/** Repeats what ends with an error of ssh while the pod runs as it did. Fails with 10 where it does not any more. */
async function persistently(
  ctx: CommandContext,
  pod: ReachablePod,
  work: () => ReturnType<typeof runScript>,
): Promise<void> {
  for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_MS)) {
    const { isRun, said } = await work();
    if (isRun) return;
    const refusal = sshRefusal(pod, said);
    if (refusal !== undefined) throw refusal;
    const row = await rowNow(ctx, pod);
    if (row !== undefined && statusOf(row) !== 'RUNNING') throw died(pod, `it is ${statusOf(row)}`);
    if (row !== undefined && (stringAt(row, 'startedAt') ?? '') !== pod.start) throw died(pod, 'it was started again');
    await every(ctx, pauseMs);
  }
}

/** Undefined while the service cannot be reached: that says nothing about the pod. */
async function rowNow(ctx: CommandContext, pod: ReachablePod): Promise<Json | undefined> {
  try {
    return (await readRow(ctx, PODS, pod.id)).value ?? null;
  } catch (error) {
    if (isNotFound(error)) throw died(pod, 'it is gone');
    rethrowUnlessFailure(error, ctx);
    if (error.exit === EXIT.unavailable || error.exit === EXIT.rateLimited) return undefined;
    throw error;
  }
}

const died = ({ id, name }: ReachablePod, why: string): Failure =>
  new Failure({
    code: 'run-died',
    exit: EXIT.jobFailed,
    message: `pod ${name} (${id}) died under the command: ${why}`,
    hint: run(berth`pods logs ${id}`),
    id,
  });
