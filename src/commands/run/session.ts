/** The pod of a run, made once and surely gone at the end; its command, in a session of its own, so that it survives a lost connection. */
import { run } from '../../cli/hint.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { listRows, rowRequest } from '../../cli/resource/pages.ts';
import { readRow } from '../../cli/resource/targets.ts';
import { every, type Goal, until } from '../../cli/until.ts';
import {
  quoted,
  reachableOf,
  type ReachablePod,
  readPod,
  runSshBeside,
  saidLines,
  SSH_FAILED,
  sshArguments,
  sshRefusal,
  startOf,
} from '../pods/reach-pod.ts';
import { describeReach, isAt, REACHABLE, statusOf } from '../pods/reachable.ts';
import { PODS } from '../pods/fields.ts';
import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure, unknownOutcome } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { podsOfKey } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';

const FIRST_MS: Milliseconds = 250;
const LONGEST_MS: Milliseconds = 5000;
/** Two looks that find nothing, this far apart, say that a pod is gone. */
const AGAIN_MS: Milliseconds = 5000;

/** It names files here and in the pod, and comes from a variable of the pod. */
export const isMark = (text: string): boolean => /^run-[a-z0-9]{1,20}$/.test(text);

/** Repeats what has no value yet, at growing intervals. */
export async function again<T>(ctx: CommandContext, work: () => Promise<T | undefined>): Promise<T> {
  for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_MS)) {
    const value = await work();
    if (value !== undefined) return value;
    await every(ctx, pauseMs);
  }
}

/**
 * Terminates what a run made, by its id or else by its mark, which a list may show `lagMs` later. A pod is gone after a 204,
 * or after two looks five seconds apart that find none. Returns the ids. Fails with outcome-unknown (8) after `patienceMs`.
 */
export async function terminateSurely(
  ctx: CommandContext,
  { mark, id }: { readonly mark: string; readonly id?: string | undefined },
  patienceMs: Milliseconds,
  lagMs: Milliseconds = MINUTE_MS,
): Promise<readonly string[]> {
  const startedAt = ctx.clock.monotonic();
  const passedMs = (): Milliseconds => ctx.clock.monotonic() - startedAt;
  const surely = <T>(work: () => Promise<T | undefined>): Promise<T> =>
    again(ctx, async () => {
      try {
        return await work();
      } catch (error) {
        rethrowUnlessFailure(error, ctx);
        if (passedMs() < patienceMs && error.exit !== EXIT.denied) return undefined;
        const command = id === undefined ? berth`run end ${mark}` : berth`pods terminate ${id}`;
        throw unknownOutcome(`pod ${id ?? mark} may still run and cost money: ${error.message}`, command, id);
      }
    });
  const find = async (): Promise<readonly string[] | undefined> => {
    const ids = podsOfKey((await listRows(ctx, PODS)).values, mark).map(idOf);
    return ids.length === 0 && passedMs() < lagMs ? undefined : ids;
  };
  const ids = id === undefined ? await surely(find) : [id];
  for (const each of ids) await surely(() => terminate(ctx, each));
  return ids;
}

/** Fails while the pod may be there. */
async function terminate(ctx: CommandContext, id: string): Promise<true> {
  const request = { service: 'base', method: 'DELETE', path: [...PODS.path, id], id, destroys: false } as const;
  const checkCommand = berth`pods get ${id}`;
  const answer = await unlessGone(ctx.api.send({ ...request, checkCommand }));
  if (answer?.status === 204) return true;
  const check = async (): Promise<void> => {
    const row = await unlessGone(ctx.api.send(rowRequest(PODS, asId(id))));
    const status = row === undefined ? 'TERMINATED' : statusOf(row.value ?? null);
    if (status !== 'TERMINATED') throw unknownOutcome(`it is ${status}`, checkCommand, id);
  };
  await check();
  await every(ctx, AGAIN_MS);
  await check();
  return true;
}

const unlessGone = (answer: Promise<ApiAnswer>): Promise<ApiAnswer | undefined> =>
  answer.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });

/** The command in the pod: in a session of its own, its output in files, so that it survives a lost connection. */

/** The folder of a run, in the home folder of the pod. */
export const folderOf = (mark: string): string => `.berth/${mark}`;

type Folders = readonly [own: string, work: string];

/** That it answers says that the pod takes ssh. */
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

/** Prints what is new in frames: `out 5`, five bytes, `err 2`, two bytes, ..., `code 0` at the end, `gone` without one. */
const followScript = (own: string, { out, err }: Readonly<Record<Stream, number>>): string => `
d=$HOME/${own}; o=${String(out)}; e=${String(err)}
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

/** SIGTERM, and SIGKILL where it goes on for five seconds. */
const endScript = (own: string): string => `
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
  const { said, take } = saidLines();
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`{\n${script}\n}\n`);
  }
  const args = await sshArguments(ctx, pod, { line: 'exec sh -s' });
  const code = await runSshBeside(ctx, args, { input: input(), onOutput, onError: take });
  ctx.signal.throwIfAborted();
  if (code === 0 || code === SSH_FAILED) return { isRun: code === 0, said };
  const message = `pod ${pod.name}: ${safeText(said.at(-1) ?? `exit code ${String(code)}`)}`;
  throw new Failure({ code: 'pod-file', exit: EXIT.refused, message, id: pod.id });
}

/** Waits until the pod takes ssh (9; 10 where it does not come up), and makes the folders. */
export async function enter(
  ctx: CommandContext,
  [id, key]: readonly [id: string, key: string],
  folders: Folders,
  timeoutMs: Milliseconds,
): Promise<ReachablePod> {
  let [pod, refusal] = [undefined as ReachablePod | undefined, undefined as Failure | undefined];
  let last = 'no answer';
  const read = async () => {
    const found = await readPod(ctx, id);
    if (isAt(found.pod, REACHABLE)) {
      const reached = { ...reachableOf(found), key };
      const { isRun, said } = await runScript(ctx, reached, prepareScript(folders));
      if (isRun) pod = reached;
      else [refusal, last] = [sshRefusal(reached, said), said.at(-1) ?? last];
    }
    return { status: 200, headers: {}, text: '', value: found.pod };
  };
  const goal: Goal = {
    noun: 'pod',
    name: 'answering ssh',
    done: () => pod !== undefined,
    stuck: (row) => {
      const status = statusOf(row);
      return ['ERROR', 'EXITED', 'TERMINATED'].includes(status) ? died(id, `pod ${id} is ${status}`) : undefined;
    },
    describe: (row) => (isAt(row, REACHABLE) ? last : describeReach(row)),
  };
  const [{ failure } = { failure: undefined }] = await until(ctx, [{ id, read }], goal, timeoutMs);
  if (pod !== undefined) return pod;
  if (failure?.code !== 'wait-ended') throw failure ?? new Error('no end of the wait');
  const hint = 'The image needs an SSH server that starts with it.';
  throw (refusal ?? failure).with({ exit: EXIT.waitEnded, hint });
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

export const endCommand = (ctx: CommandContext, pod: ReachablePod, own: string) => runScript(ctx, pod, endScript(own));

/**
 * Prints the command's output from its first byte, through lost connections, and returns its exit code. Fails with 10 where the
 * pod or the command is gone.
 */
export async function follow(ctx: CommandContext, pod: ReachablePod, own: string): Promise<number> {
  const printed = { out: 0, err: 0 };
  let end: string | undefined;
  const write = async (stream: Stream, bytes: Uint8Array): Promise<void> => {
    await ctx.programOutput[stream](bytes);
    printed[stream] += bytes.byteLength;
  };
  const onEnd = (word: string): void => void (end = word);
  await persistently(ctx, pod, () => runScript(ctx, pod, followScript(own, printed), framesOf(write, onEnd)));
  if (end !== undefined && end !== 'gone') return Number(end);
  throw diedUnder(pod, 'the command ended without an exit code: it was killed');
}

type Stream = 'out' | 'err';

/** Takes frames apart. What a shell prints when it starts comes before the first one, and is left out. */
function framesOf(
  write: (stream: Stream, bytes: Uint8Array) => Promise<void>,
  onEnd: (word: string) => void,
): (bytes: Uint8Array) => Promise<void> {
  let [rest, left, stream, isStarted] = [Buffer.alloc(0), 0, 'out' as Stream, false];
  return async (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.byteLength > 0) {
      const end = left > 0 ? Math.min(left, rest.byteLength) : rest.indexOf(10) + 1;
      if (end === 0) return;
      const part = rest.subarray(0, end);
      rest = rest.subarray(end);
      if (left > 0) {
        left -= end;
        await write(stream, part);
        continue;
      }
      const [line, word, number] =
        /^(out|err|code|gone|berth-run)(?: (\d{1,15}))?\n$/.exec(part.toString('latin1')) ?? [];
      if (!isStarted) isStarted = line === 'berth-run\n';
      else if (word === 'out' || word === 'err') [stream, left] = [word, Number(number)];
      else if (word !== undefined) onEnd(number ?? word);
    }
  };
}

/** Repeats what ends with an error of ssh while the pod runs as it did. Fails with 10 where it does not any more. */
async function persistently(ctx: CommandContext, pod: ReachablePod, work: () => ReturnType<typeof runScript>) {
  await again(ctx, async () => {
    const { isRun, said } = await work();
    if (isRun) return true;
    const refusal = sshRefusal(pod, said);
    if (refusal !== undefined) throw refusal;
    try {
      const row = (await readRow(ctx, PODS, pod.id)).value ?? null;
      if (statusOf(row) !== 'RUNNING') throw diedUnder(pod, `it is ${statusOf(row)}`);
      if (startOf(row) !== pod.start) throw diedUnder(pod, 'it was started again');
    } catch (error) {
      if (isNotFound(error)) throw diedUnder(pod, 'it is gone');
      rethrowUnlessFailure(error, ctx);
      // A service that cannot be reached says nothing about the pod.
      if (error.exit === EXIT.denied || error.code === 'run-died') throw error;
    }
    return undefined;
  });
}

const diedUnder = ({ id, name }: ReachablePod, why: string): Failure =>
  died(id, `pod ${name} (${id}) died under the command: ${why}`);

const died = (id: string, message: string): Failure =>
  new Failure({ code: 'run-died', exit: EXIT.jobFailed, message, hint: run(berth`pods logs ${id}`), id });
