/** Keeps ports forwarded: connects again after a break, and to the new address after a restart of the pod. */
import type { CommandContext } from '../../cli/model/context.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { every, until } from '../../cli/until.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, usage } from '../../core/failure.ts';
import { type Json, memberAt, stringsOf } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { run } from '../../cli/hint.ts';
import { safeText } from '../../core/safe-text.ts';
import { askPod, LOOPBACK, notReachable, podIn, reachableOf } from './reach-pod.ts';
import { describeReach, directSsh, isReachable, statusOf } from './reachable.ts';
import { idOf } from '../../output/view.ts';
import { addressArguments, linesOf, type ReachablePod, sshOptions, sshRefusal, trustOptions } from './ssh-command.ts';

/** A port of this machine that leads to a port of the pod. */
export interface Forward {
  readonly local: number;
  readonly remote: number;
}

interface ForwardOptions {
  readonly word: string;
  readonly forwards: readonly Forward[];
  readonly address: string;
  /** At the first connection. */
  readonly onOpen: (pod: ReachablePod) => Promise<void>;
}

/** Per start of a pod. */
const MAX_FIRST_TRIES = 5;
/** Milliseconds; doubles up to the last one. */
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [500, 15_000];

/** Reconnects until interrupted. Pod-ended (10), denied (3), unavailable (7), port-in-use (14). */
export async function keepConnected(ctx: CommandContext, options: ForwardOptions): Promise<never> {
  let known: ReachablePod | undefined;
  let [isOpened, tries, waitMs] = [false, 0, FIRST_WAIT_MS];
  for (;;) {
    const pod = await reached(ctx, options.word, known);
    const loop = pod.address.host === LOOPBACK && options.forwards.find(({ local, remote }) => local === remote);
    if (loop)
      throw usage(
        `port ${String(loop.local)} would lead to itself: pods of the local service share the ports of this machine`,
        `Use another port here: 0:${String(loop.remote)}`,
      );
    if (known?.start !== pod.start) tries = 0;
    known = pod;
    const { said, isOpen } = await openTunnel(ctx, pod, options, async () => {
      if (isOpened) await ctx.tell(`Connected to ${pod.name} again.`);
      else await options.onOpen(pod);
    });
    if (isOpen) {
      [isOpened, tries, waitMs] = [true, 0, FIRST_WAIT_MS];
      await ctx.tell(`The connection to ${pod.name} ended. Connecting again.`);
    } else {
      tries += 1;
      throwIfFinal(pod, said, !isOpened && tries >= MAX_FIRST_TRIES);
      if (tries === 1) await ctx.tell(`Could not connect to ${pod.name}: ${reasonOf(said)}. Trying again.`);
    }
    await every(ctx, waitMs);
    waitMs = Math.min(LAST_WAIT_MS, waitMs * 2);
  }
}

const KEPT_LINES = 20;

const DETAILS = /^(debug\d: |Authenticated to |Transferred: |Bytes per second: |Warning: Permanently added |\s*$)/;

/** Only at DEBUG1 does `ssh -N` say when the ports are open. A silent connection ends after 30 s. */
const OPTIONS = [
  ...['LogLevel=DEBUG1', 'ExitOnForwardFailure=yes'],
  ...['ServerAliveInterval=10', 'ServerAliveCountMax=3', 'ConnectTimeout=20'],
];

/** Runs one ssh until it ends: what it said, and whether its ports were open. Usage (2) if ssh is missing. */
async function openTunnel(
  ctx: CommandContext,
  pod: ReachablePod,
  { forwards, address }: Pick<ForwardOptions, 'forwards' | 'address'>,
  onOpen: () => Promise<void>,
): Promise<{ readonly said: readonly string[]; readonly isOpen: boolean }> {
  const said: string[] = [];
  const refused = new Set<string>();
  let settle: (isReady: boolean) => void = () => undefined;
  const ready = new Promise<boolean>((resolve) => (settle = resolve));
  const onLine = (line: string): void => {
    const [, refusal] = /open failed: (.*)/.exec(line) ?? [];
    if (line.startsWith('debug1: Entering interactive session')) settle(true);
    else if (refusal !== undefined) {
      if (!refused.has(refusal)) void ctx.tell(`connection refused on the other side: ${refusal}`);
      refused.add(refusal);
    } else if (!DETAILS.test(line)) said.push(line);
    if (said.length > KEPT_LINES) said.shift();
  };
  const host = address.includes(':') ? `[${address}]` : address;
  const ports = forwards.flatMap(({ local, remote }) => ['-L', `${host}:${String(local)}:localhost:${String(remote)}`]);
  const trust = trustOptions(pod, await ctx.spawn.knownHosts());
  const args = [...trust, ...sshOptions(OPTIONS), '-N', ...ports, ...addressArguments(pod.address)];
  const program = await ctx.spawn.start('ssh', args, { onOutput: () => undefined, onError: linesOf(onLine).take });
  try {
    const ended = program.ended.then(() => {
      settle(false);
    });
    const isOpen = await untilAborted(ctx.signal, ready);
    if (isOpen) await onOpen();
    await untilAborted(ctx.signal, ended);
    return { said, isOpen };
  } finally {
    program.stop();
  }
}

const reasonOf = (said: readonly string[]): string => safeText(said.at(-1)?.replace(/\.$/, '') ?? 'ssh failed');

/** Fails for errors that a retry cannot change, and at the last try. */
function throwIfFinal(pod: ReachablePod, said: readonly string[], isLast: boolean): void {
  const { id, name } = pod;
  const inUse = said.find((line) => /cannot listen to port|[Aa]ddress already in use/.test(line));
  if (inUse !== undefined)
    throw new Failure({
      code: 'port-in-use',
      exit: EXIT.localFile,
      message: `cannot listen here: ${safeText(inUse)}`,
      hint: 'Use another port; 0:REMOTE takes a free one.',
    });
  const refusal = sshRefusal(pod, said);
  if (refusal !== undefined) throw refusal;
  if (isLast)
    throw new Failure({
      code: 'not-connected',
      exit: EXIT.unavailable,
      message: `could not connect to pod ${name}: ${reasonOf(said)}`,
      hint: run(berth`pods ssh ${id} -- -v`),
      id,
    });
}

/** Waits while the pod starts. A pod that was reached before and has stopped is pod-ended (10). */
async function reached(ctx: CommandContext, word: string, known?: ReachablePod): Promise<ReachablePod> {
  const id = known?.id ?? word;
  const goal = {
    noun: 'pod',
    name: 'reachable',
    done: (pod: Json) => directSsh(pod) !== undefined,
    stuck: (pod: Json) => (isComing(pod) ? undefined : notReachable(pod, idOf(pod))),
    describe: describeReach,
  };
  const [end] = await until(ctx, [{ id, read: () => askPod(ctx, id), isFirst: known === undefined }], goal, Infinity);
  const { answer, failure } = end ?? {};
  if (failure === undefined && answer !== undefined) return reachableOf(podIn(answer, id));
  const isGone: boolean = isNotFound(failure);
  if (known === undefined || (answer === undefined && !isGone)) throw failure ?? new Error('no end');
  throw new Failure({
    code: 'pod-ended',
    exit: EXIT.jobFailed,
    message: `pod ${known.name} is ${isGone ? 'gone' : statusOf(answer?.value ?? null)}: no longer connected`,
    hint: isGone ? undefined : failure?.hint,
    id,
  });
}

const isComing = (pod: Json): boolean =>
  ['PROVISIONING', 'STARTING'].includes(statusOf(pod)) ||
  (statusOf(pod) === 'RUNNING' && stringsOf(memberAt(pod, 'ports')).includes('22/tcp') && !isReachable(pod));
