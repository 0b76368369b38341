/** The command of a run in its pod: in a session of its own, its output in files, so that it survives a lost connection. */
import { Readable } from 'node:stream';
import { textsIn, type Values } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { again, until } from '../../cli/until.ts';
import { quoted, type ReachablePod, reachPod, runInPod, SSH_FAILED, sshFailure, startOf } from '../pods/reach-pod.ts';
import { isAt, REACHABLE, statusOf } from '../pods/reachable.ts';
import { goalOf, readerOf } from '../pods/wait.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, unlessFailed } from '../../core/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** With berth's own folder below the home folder, and the folder of the command. */
export type Session = ReachablePod & { readonly own: string; readonly work: string };

/** Prints what is new in frames: `@out 5`, five bytes, `@err 2`, two bytes, ..., `@code 0` at the end unless it was killed. */
const followScript = ({ own }: Session, { out, err }: Readonly<Record<'out' | 'err', number>>): string => `
d=$HOME/${own}; o=${String(out)}; e=${String(err)}; t=1
put() {
  n=$(($(wc -c <"$d/$1" 2>/dev/null || echo 0) - $2)); [ "$n" -gt 0 ] || return 1
  echo "@$1 $n"; tail -c +$(($2 + 1)) "$d/$1" | head -c "$n"
}
while :; do
  c=$(cat "$d/code" 2>/dev/null); p=$(cat "$d/pid" 2>/dev/null); m=
  kill -0 "$p" 2>/dev/null || g=1$g
  put out "$o" && o=$((o + n)) && m=1
  put err "$e" && e=$((e + n)) && m=1
  [ -z "$m" ] || continue
  [ -z "$c" ] || { echo "@code $c"; exit 0; }
  [ \${#g} -lt 60 ] || exit 0
  sleep "0.0$t" 2>/dev/null || sleep 1; t=$((t < 9 ? t + 1 : 9))
done`;

/**
 * Runs a script in the pod. It goes through stdin, since an argument would show its variables, and in braces, so that all of it is
 * read before it begins. Fails as ssh does, and with 5 where the script fails.
 */
async function runScript(
  ctx: CommandContext,
  pod: ReachablePod,
  script: string,
  onOutput: (bytes: Uint8Array) => void | Promise<void> = () => undefined,
): Promise<void> {
  const input = Readable.from([Buffer.from(`{\n${script}\n}\n`)]);
  const { code, said } = await runInPod(ctx, pod, 'exec sh -s', { input, onOutput });
  if (code === SSH_FAILED) throw sshFailure(pod, said);
  const message = `pod ${pod.name}: ${safeText(said.at(-1) ?? `exit code ${String(code)}`)}`;
  if (code !== 0) throw new Failure({ code: 'pod-file', exit: EXIT.refused, message, id: pod.id });
}

/** Waits until the pod takes ssh (9; 10 where it does not come up). */
export async function enter(ctx: CommandContext, id: string, key: string, timeoutMs: Milliseconds) {
  const readPod = readerOf(ctx, id);
  let pod: ReachablePod | undefined;
  let [failed, nextAt] = [undefined as Failure | undefined, 0];
  const read = async () => {
    const answer = await readPod();
    if (!isAt(answer.value ?? null, REACHABLE)) return answer;
    pod ??= { ...(await reachPod(ctx, id)), key };
    if (failed !== undefined && ctx.clock.monotonic() < nextAt) throw failed;
    const { code, said } = await runInPod(ctx, pod, 'true', { onOutput: () => undefined });
    if (code !== SSH_FAILED) return answer;
    // Where it refuses the key too: its server may start before it has it, and lock out who asks again at once.
    const message = safeText(said.at(-1) ?? 'ssh failed');
    if (message.includes('denied')) nextAt = ctx.clock.monotonic() + 5000;
    throw (failed = new Failure({ code: 'connection-lost', exit: EXIT.unavailable, message }));
  };
  const { resume: _, ...goal } = goalOf(REACHABLE);
  const [end] = await until(ctx, [{ id, read }], { ...goal, name: 'answering ssh', growth: 1.01 }, timeoutMs);
  if (end?.failure) throw end.failure.with({ hint: pod && 'The image needs an SSH server that starts with it.' });
  if (pod === undefined) throw new Error('no end');
  return pod;
}

/**
 * Follows it too, unless it is detached. A start that is sent again starts nothing: the session itself claims to be the one, since
 * the shell that starts it may end with the connection. Its pid is that of its session and group.
 */
export async function startCommand(ctx: CommandContext, pod: Session, env: JsonObject, values: Values) {
  // What stands for a secret is known in the container alone.
  const variables = Object.entries(env).flatMap(([name, value]) =>
    /^[A-Za-z_]\w*$/.test(name) && typeof value === 'string' && !value.includes('{{') ? [`${name}=${value}`] : [],
  );
  const start = `
d=$HOME/${pod.own}
mkdir -p "$d" ${quoted(pod.work)} && chmod 700 "$d" && cd ${quoted(pod.work)} || exit 1
(
export ${['BERTH_RUN=1', ...variables].map(quoted).join(' ')}
s=setsid; command -v setsid >/dev/null || s=nohup
$s sh -c 'd=$0; mkdir "$d/started" 2>/dev/null || exit; trap : TERM INT HUP; echo $$ >"$d/pid"; "$@" >"$d/out" 2>"$d/err"; echo $? >"$d/new" && mv "$d/new" "$d/code"' "$d" ${textsIn(values, 'command').map(quoted).join(' ')} </dev/null >/dev/null 2>&1 & )`;
  if (values['detach'] !== true) return await follow(ctx, pod, start);
  await persistently(ctx, pod, () => runScript(ctx, pod, start));
  return undefined;
}

/** SIGTERM, and SIGKILL where it goes on for five seconds. */
export async function endCommand(ctx: CommandContext, pod: Session): Promise<void> {
  const script = `
d=$HOME/${pod.own}; p=$(cat "$d/pid") || exit 0
kill -TERM "-$p" 2>/dev/null || kill -TERM "$p"
i=0; while [ "$i" -lt 25 ]; do [ ! -e "$d/code" ] || exit 0; i=$((i + 1)); sleep 0.2 2>/dev/null || sleep 1; done
kill -KILL "-$p" 2>/dev/null || kill -KILL "$p"`;
  await runScript(ctx, pod, script);
}

/** Prints the command's output from its first byte, through lost connections. Returns its exit code; 10 where it is gone. */
export async function follow(ctx: CommandContext, pod: Session, start = ''): Promise<number> {
  const printed = { out: 0, err: 0 };
  let code: number | undefined;
  await persistently(ctx, pod, () => {
    let rest = Buffer.alloc(0);
    return runScript(ctx, pod, start + followScript(pod, printed), async (bytes) => {
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

/** Repeats what a lost connection ended while the pod runs as it did. Fails with 10 where it does not any more. */
const persistently = (ctx: CommandContext, pod: ReachablePod, work: () => Promise<void>): Promise<void> =>
  again(ctx, work, async ({ exit }) => {
    if (exit !== EXIT.unavailable) return false;
    // A service that cannot be reached says nothing about the pod.
    const row = (await unlessFailed(ctx, readerOf(ctx, pod.id, true)))?.value;
    if (row !== undefined && statusOf(row) !== 'RUNNING') throw died(pod, `it is ${statusOf(row)}`);
    if (row !== undefined && startOf(row) !== pod.start) throw died(pod, 'it was started again');
    return true;
  });

const died = ({ id, name }: ReachablePod, why: string): Failure => {
  const message = `pod ${name} (${id}) died under the command: ${why}`;
  return new Failure({ code: 'run-died', exit: EXIT.jobFailed, message, id });
};
