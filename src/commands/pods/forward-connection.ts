import type { CommandContext } from '../../cli/model/context.ts';
import { readRow } from '../../cli/resource/identify.ts';
import { untilAborted } from '../../cli/run/until-aborted.ts';
import { LOOPBACK, notReachable, reachableOf, type ReachablePod, sshRefusal } from './reach-pod.ts';
import { describeReach, directSsh, isReachable, statusOf } from './reachable.ts';
import { PODS } from './resource.ts';
import { type Forward, openTunnel } from './ssh-tunnel.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { type Json, memberAt, stringsOf } from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';

interface ForwardOptions {
  readonly word: string;
  readonly forwards: readonly Forward[];
  readonly address: string;
  /** At the first connection, with the ports used from then on. */
  readonly onOpen: (pod: ReachablePod, forwards: readonly Forward[]) => Promise<void>;
}

/** Per start of a pod. */
const MAX_FIRST_TRIES = 5;

/** Reconnects until interrupted. Pod-ended (10), denied (3), unavailable (7), port-in-use (14). */
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

/** Pods of a local service share this machine's ports. Usage (2) for a port that leads to itself. */
function refuseLoops({ name, address }: ReachablePod, forwards: readonly Forward[]): void {
  const loop = address.host === LOOPBACK ? forwards.find(({ local, remote }) => local === remote) : undefined;
  if (loop !== undefined)
    throw usage(
      `port ${String(loop.local)} would lead to itself: ${name} is a pod of the local service, so its ports are those of this machine`,
      `Take another port here: 0:${String(loop.remote)}`,
    );
}

/** After a restart, requests again the port that the pod chose. */
const withRemotePort = (forwards: readonly Forward[], local: number, remote: number): readonly Forward[] => {
  const at = forwards.findIndex((each) => each.direction === 'from-pod' && each.local === local && each.remote === 0);
  return forwards.map((each, index) => (index === at ? { ...each, remote } : each));
};

const reasonOf = (said: readonly string[]): string => safeText(said.at(-1)?.replace(/\.$/, '') ?? 'ssh said nothing');

/** Fails for errors that a retry cannot change. */
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

/** Milliseconds; doubles up to the last one. */
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [500, 15_000];

/** Each wait is twice the last; `reset` starts over. Aborts with the command's signal. */
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

function isComing(pod: Json): boolean {
  const status = statusOf(pod);
  if (status === 'PROVISIONING' || status === 'STARTING') return true;
  return status === 'RUNNING' && stringsOf(memberAt(pod, 'ports')).includes('22/tcp') && !isReachable(pod);
}

/** With `known`, retries forever while the network is down; pod-ended (10). Else fails as `reachPod`. */
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
