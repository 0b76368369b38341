import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, usage } from '../../../core/failure.ts';
import { berth, sentence } from '../../../core/message.ts';
import { safeText } from '../../../core/safe-text.ts';
import { untilAborted } from '../../../cli/run/until-aborted.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { LOOPBACK, type ReachablePod } from '../reach/reach-pod.ts';
import { growingWaits, reachWhenThere } from '../reach/reach-when-there.ts';
import { sshRefusal } from '../reach/ssh-refusal.ts';
import type { Forward } from './ports.ts';
import { openTunnel } from './ssh-tunnel.ts';

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
