import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { untilAborted } from '../../cli/run/until-aborted.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { LOOPBACK, type ReachablePod, notReachable, reachableOf } from './reach/reach-pod.ts';
import { sshRefusal } from './reach/ssh-refusal.ts';
import { type Forward, openTunnel } from './ssh-tunnel.ts';
import { memberAt, stringsOf, type Json } from '../../core/json.ts';
import { readRow } from '../../cli/resource/identity/identify.ts';
import { describeReach, directSsh, isReachable, statusOf } from './pod/reachable.ts';
import { PODS } from './pod/resource.ts';

export interface ForwardOptions {
  readonly word: string;
  readonly forwards: readonly Forward[];
  readonly address: string;
  /** The first connection is there, with the ports that are used from now on. */
  readonly onOpen: (pod: ReachablePod, forwards: readonly Forward[]) => Promise<void>;
}

/** Tries before the first connection, at one start of a pod. */
const MAX_FIRST_TRIES = 5;

/**
 * Keeps ports joined until the command is interrupted. A connection that ends is made again, to the address that the pod has then.
 * Fails with pod-ended (10) for a pod that has ended, with denied (3) where ssh is refused, with unavailable (7) where it never
 * connects, with port-in-use (14), and as `reachWhenThere`.
 */
export async function keepConnected(ctx: CommandContext, options: ForwardOptions): Promise<never> {
  const { word, address, onOpen } = options;
  let { forwards } = options;
  let known: ReachablePod | undefined;
  let wasOpen = false;
  let tries = 0;
  const waits = growingWaits(ctx);
  for (;;) {
    const pod = await reachWhenThere(ctx, word, known);
    refuseLoops(pod, forwards);
    if (known?.start !== pod.start) tries = 0;
    known = pod;
    const refused = new Set<string>();
    const tunnel = await openTunnel(ctx, {
      pod,
      forwards,
      address,
      onRemotePort: (local, remote) => {
        forwards = withRemotePort(forwards, local, remote);
      },
      onRefused: (reason) => {
        if (refused.has(reason)) return;
        refused.add(reason);
        void ctx.tell(`A connection was not taken on the other side: ${reason || 'nothing listens there'}.`);
      },
    });
    try {
      if (await untilAborted(ctx.signal, tunnel.ready)) {
        if (wasOpen) await ctx.tell(`Connected to ${pod.name} again.`);
        else await onOpen(pod, forwards);
        wasOpen = true;
        tries = 0;
        waits.reset();
        await untilAborted(ctx.signal, tunnel.ended);
        await ctx.tell(`The connection to ${pod.name} ended. Connecting again.`);
      } else {
        tries += 1;
        const said = await tunnel.ended;
        throwIfFinal(pod, said);
        if (!wasOpen && tries >= MAX_FIRST_TRIES) throw neverConnected(pod, said);
        if (tries === 1) await ctx.tell(`Could not connect to ${pod.name}: ${reasonOf(said)}. Trying again.`);
      }
    } finally {
      tunnel.stop();
    }
    await waits.wait();
  }
}

/** A pod of a local service has the ports of this machine. Fails with usage (2) for a port that would lead to itself. */
function refuseLoops({ name, address }: ReachablePod, forwards: readonly Forward[]): void {
  const loop = address.host === LOOPBACK ? forwards.find(({ local, remote }) => local === remote) : undefined;
  if (loop !== undefined)
    throw usage(
      `port ${String(loop.local)} would lead to itself: ${name} is a pod of the local service, so its ports are those of this machine`,
      `Take another port here: 0:${String(loop.remote)}`,
    );
}

/** The port that a pod chose is asked for again after a restart. */
const withRemotePort = (forwards: readonly Forward[], local: number, remote: number): readonly Forward[] => {
  const at = forwards.findIndex((each) => each.direction === 'from-pod' && each.local === local && each.remote === 0);
  return forwards.map((each, index) => (index === at ? { ...each, remote } : each));
};

const reasonOf = (said: readonly string[]): string => safeText(said.at(-1)?.replace(/\.$/, '') ?? 'ssh said nothing');

/** Fails for what another try does not change. */
function throwIfFinal(pod: ReachablePod, said: readonly string[]): void {
  const inUse = said.find((line) => /cannot listen to port|[Aa]ddress already in use/.test(line));
  if (inUse !== undefined)
    throw new Failure({
      code: 'port-in-use',
      exit: EXIT.localFile,
      message: `a port on this machine cannot be used: ${safeText(inUse)}`,
      hint: 'Choose another one; 0:REMOTE takes a free one.',
    });
  const refusal = sshRefusal(pod, said);
  if (refusal !== undefined) throw refusal;
}

const neverConnected = ({ id, name }: ReachablePod, said: readonly string[]): Failure =>
  new Failure({
    code: 'not-connected',
    exit: EXIT.unavailable,
    message: `could not connect to pod ${name}: ${reasonOf(said)}`,
    hint: sentence`What ssh does: ${berth`pods ssh ${id}`} -- -v`,
    id,
  });

/** Waits between two looks at a pod, and between two tries to connect: they double up to the last one. Milliseconds. */
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [500, 15_000];

/** Returns what waits, each time twice as long as before; `reset` begins again. Aborts with the signal of the command. */
function growingWaits(ctx: CommandContext) {
  let nextMs = FIRST_WAIT_MS;
  return {
    reset: (): void => {
      nextMs = FIRST_WAIT_MS;
    },
    wait: async (): Promise<void> => {
      const waitMs = nextMs;
      nextMs = Math.min(LAST_WAIT_MS, nextMs * 2);
      await ctx.clock.sleep(waitMs, ctx.signal);
    },
  };
}

/** Whether a pod that cannot be reached now will be, without anybody's help: it is starting. */
function isComing(pod: Json): boolean {
  const status = statusOf(pod);
  if (status === 'PROVISIONING' || status === 'STARTING') return true;
  return status === 'RUNNING' && stringsOf(memberAt(pod, 'ports')).includes('22/tcp') && !isReachable(pod);
}

/**
 * The present address of a pod. Waits while it starts, and says so once. `known` is the pod as it was reached before: then a
 * service that cannot be reached is asked again without end, because this machine may have lost its network, and a pod that has
 * ended fails with pod-ended (10). Else fails as `reachPod`.
 */
async function reachWhenThere(
  ctx: CommandContext,
  word: string,
  known?: Pick<ReachablePod, 'id' | 'name'>,
): Promise<ReachablePod> {
  const waits = growingWaits(ctx);
  const told = new Set<string>();
  const tellOnce = async (line: string): Promise<void> => {
    if (!told.has(line)) await ctx.tell(line);
    told.add(line);
  };
  await ctx.openLocalPods();
  for (;;) {
    try {
      const { answer } = await readRow(ctx, PODS, known?.id ?? word);
      const pod = answer.value ?? null;
      if (directSsh(pod) !== undefined) return reachableOf(answer, word);
      if (!isComing(pod)) throw known === undefined ? notReachable(pod, word) : hasEnded(known, pod);
      await tellOnce(`Pod ${known?.name ?? word} is ${describeReach(pod)}: waiting until it can be reached.`);
    } catch (error) {
      if (known === undefined || !(error instanceof Failure) || ctx.signal.aborted) throw error;
      if (error.exit === EXIT.notFound) throw hasEnded(known, { status: 'gone' });
      if (error.exit !== EXIT.unavailable && error.exit !== EXIT.rateLimited) throw error;
      await tellOnce(
        `The service could not be asked for the address of ${known.name}: ${error.message}. Trying again.`,
      );
    }
    await waits.wait();
  }
}

/** The failure for a pod that no connection can go to any more. */
function hasEnded({ id, name }: Pick<ReachablePod, 'id' | 'name'>, pod: Json): Failure {
  const status = statusOf(pod);
  const { hint } = notReachable(pod, id);
  return new Failure({
    code: 'pod-ended',
    exit: EXIT.jobFailed,
    message: `pod ${name} is ${status}, so nothing is connected to it any more`,
    hint: status === 'gone' ? undefined : hint,
    id,
  });
}
