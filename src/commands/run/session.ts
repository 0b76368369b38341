/** The command of a run in its pod: in a session of its own, its output in files, so that it survives a lost connection. */
import { Readable } from 'node:stream';
import { run } from '../../cli/hint.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { answerOf } from '../../cli/resource/targets.ts';
import { every, until } from '../../cli/until.ts';
import { quoted, type ReachablePod, reachPod, runInPod, SSH_FAILED, sshRefusal, startOf } from '../pods/reach-pod.ts';
import { REACHABLE, statusOf } from '../pods/reachable.ts';
import { readerOf, waitFor } from '../pods/wait.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, unlessFailed } from '../../core/failure.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** Repeats what has no value yet, at growing intervals. */
export async function again<T>(ctx: CommandContext, work: () => Promise<T | undefined>): Promise<T> {
  for (let pauseMs: Milliseconds = 250; ; pauseMs = Math.min(pauseMs * 1.5, 5000)) {
    const value = await work();
    if (value !== undefined) return value;
    await every(ctx, pauseMs);
  }
}

type Folders = readonly [own: string, work: string];

const prepareScript = ([own, work]: Folders): string =>
  `mkdir -p ${quoted(own)} ${quoted(work)} && chmod 700 ${quoted(own)}`;

/** Started once, however often this is sent. The pid is that of the session and of its group. */
const startScript = ([own, work]: Folders, env: readonly string[], command: readonly string[]): string => `
d=$HOME/${own}
cd ${quoted(work)} || exit 1
mkdir "$d/started" 2>/dev/null || exit 0
export ${['BERTH_RUN=1', ...env].map(quoted).join(' ')}
s=setsid; command -v setsid >/dev/null || s=nohup
$s sh -c 'trap : TERM INT HUP; d=$0; echo $$ >"$d/pid"; "$@" >"$d/out" 2>"$d/err"; echo $? >"$d/new" && mv "$d/new" "$d/code"' "$d" ${command.map(quoted).join(' ')} </dev/null >/dev/null 2>&1 &`;

/** Prints what is new in frames: `@out 5`, five bytes, `@err 2`, two bytes, ..., `@code 0` at the end unless it was killed. */
const followScript = ([own]: Folders, { out, err }: Readonly<Record<'out' | 'err', number>>): string => `
d=$HOME/${own}; o=${String(out)}; e=${String(err)}
put() {
  n=$(($(wc -c <"$d/$1" 2>/dev/null || echo 0) - $2)); [ "$n" -gt 0 ] || return 1
  [ "$n" -le 1048576 ] || n=1048576
  echo "@$1 $n"; tail -c +$(($2 + 1)) "$d/$1" | head -c "$n"
}
while :; do
  c=$(cat "$d/code" 2>/dev/null); p=$(cat "$d/pid" 2>/dev/null); m=
  kill -0 "$p" 2>/dev/null || g=1$g
  put out "$o" && o=$((o + n)) && m=1
  put err "$e" && e=$((e + n)) && m=1
  [ -z "$m" ] || continue
  [ -z "$c" ] || { echo "@code $c"; exit 0; }
  [ \${#g} -lt 50 ] || exit 0
  sleep 0.1 2>/dev/null || sleep 1
done`;

/** SIGTERM, and SIGKILL where it goes on for five seconds. */
const endScript = ([own]: Folders): string => `
d=$HOME/${own}; p=$(cat "$d/pid") || exit 0
kill -TERM "-$p" 2>/dev/null || kill -TERM "$p"
i=0; while [ "$i" -lt 25 ]; do [ ! -e "$d/code" ] || exit 0; i=$((i + 1)); sleep 0.2 2>/dev/null || sleep 1; done
kill -KILL "-$p" 2>/dev/null || kill -KILL "$p"`;

/**
 * Runs a script in the pod; `isRun` is false where ssh failed. It goes through stdin, since an argument would show its variables,
 * and in braces, so that all of it is read before it begins. Fails with 5 where the script fails.
 */
async function runScript(
  ctx: CommandContext,
  pod: ReachablePod,
  script: string,
  onOutput: (bytes: Uint8Array) => void | Promise<void> = () => undefined,
) {
  const input = Readable.from([Buffer.from(`{\n${script}\n}\n`)]);
  const { code, said } = await runInPod(ctx, pod, 'exec sh -s', { input, onOutput });
  if (code === 0 || code === SSH_FAILED) return { isRun: code === 0, said };
  const message = `pod ${pod.name}: ${safeText(said.at(-1) ?? `exit code ${String(code)}`)}`;
  throw new Failure({ code: 'pod-file', exit: EXIT.refused, message, id: pod.id });
}

/** Waits until the pod takes ssh (9; 10 where it does not come up), and makes the folders. */
export async function enter(
  ctx: CommandContext,
  id: string,
  key: string,
  folders: Folders,
  timeoutMs: Milliseconds,
): Promise<ReachablePod> {
  const [up] = await waitFor(ctx, [{ id }], REACHABLE, timeoutMs);
  if (up?.failure !== undefined) throw up.failure;
  const pod = { ...(await reachPod(ctx, id)), key };
  let last = 'no answer';
  const read = async () => {
    const { isRun, said } = await runScript(ctx, pod, prepareScript(folders));
    last = said.at(-1) ?? last;
    return answerOf(isRun);
  };
  const goal = { noun: 'pod', name: 'answering ssh', done: (isRun: Json) => isRun === true, describe: () => last };
  const [end] = await until(ctx, [{ id, read }], goal, timeoutMs);
  if (end?.failure === undefined) return pod;
  throw end.failure.with({ hint: 'The image needs an SSH server that starts with it.' });
}

/** A start whose answer was lost is sent again: the command starts once. */
export async function startCommand(
  ctx: CommandContext,
  pod: ReachablePod,
  folders: Folders,
  variables: JsonObject,
  command: readonly string[],
): Promise<void> {
  // What stands for a secret is known in the container alone.
  const env = Object.entries(variables).flatMap(([name, value]) =>
    /^[A-Za-z_]\w*$/.test(name) && typeof value === 'string' && !value.includes('{{') ? [`${name}=${value}`] : [],
  );
  await persistently(ctx, pod, () => runScript(ctx, pod, startScript(folders, env, command)));
}

export async function endCommand(ctx: CommandContext, pod: ReachablePod, folders: Folders): Promise<void> {
  await runScript(ctx, pod, endScript(folders));
}

/** Prints the command's output from its first byte, through lost connections. Returns its exit code; 10 where it is gone. */
export async function follow(ctx: CommandContext, pod: ReachablePod, folders: Folders): Promise<number> {
  const printed = { out: 0, err: 0 };
  let code: number | undefined;
  await persistently(ctx, pod, () => {
    let rest = Buffer.alloc(0);
    return runScript(ctx, pod, followScript(folders, printed), async (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (let at; (at = rest.indexOf(10) + 1) > 0; rest = rest.subarray(at)) {
        // What a shell prints when it starts is no frame, and is left out.
        const [, word, number] = /@(out|err|code) (\d{1,15})\n$/.exec(rest.toString('latin1', 0, at)) ?? [];
        if (word === 'code') code = Number(number);
        if (word !== 'out' && word !== 'err') continue;
        const part = rest.subarray(at, (at += Number(number)));
        await ctx.programOutput[word](part);
        printed[word] += part.byteLength;
        if (rest.byteLength >= at) continue;
        // What a frame still lacks is a frame.
        rest = Buffer.from(`@${word} ${String(at - rest.byteLength)}\n`);
        return;
      }
    });
  });
  if (code !== undefined) return code;
  throw died(pod, 'the command ended without an exit code: it was killed');
}

/** Repeats what ends with an error of ssh while the pod runs as it did. Fails with 10 where it does not any more. */
async function persistently(ctx: CommandContext, pod: ReachablePod, work: () => ReturnType<typeof runScript>) {
  const read = readerOf(ctx, pod.id, true);
  await again(ctx, async () => {
    const { isRun, said } = await work();
    if (isRun) return true;
    const refusal = sshRefusal(pod, said);
    if (refusal !== undefined) throw refusal;
    // A service that cannot be reached says nothing about the pod.
    const row = (await unlessFailed(ctx, read))?.value;
    if (row !== undefined && statusOf(row) !== 'RUNNING') throw died(pod, `it is ${statusOf(row)}`);
    if (row !== undefined && startOf(row) !== pod.start) throw died(pod, 'it was started again');
    return undefined;
  });
}

const died = ({ id, name }: ReachablePod, why: string): Failure =>
  new Failure({
    code: 'run-died',
    exit: EXIT.jobFailed,
    message: `pod ${name} (${id}) died under the command: ${why}`,
    hint: run(berth`pods logs ${id}`),
    id,
  });
