/** Keeps ports forwarded: connects again after a break, and to the new address after a restart of the pod. */
import type { CommandContext } from '../../cli/model/context.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { every } from '../../cli/until.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { type Json, memberAt, stringsOf } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { run } from '../../cli/hint.ts';
import { safeText } from '../../core/safe-text.ts';
import { LOOPBACK, notReachable, reachableOf, readPod } from './reach-pod.ts';
import { describeReach, directSsh, isReachable, statusOf } from './reachable.ts';
import { type ReachablePod, sshRefusal } from './ssh-command.ts';
import { type Forward, openTunnel } from './ssh-tunnel.ts';

interface ForwardOptions {
  readonly word: string;
  readonly forwards: readonly Forward[];
  readonly address: string;
  /** At the first connection, with the ports used from then on. */
  readonly onOpen: (pod: ReachablePod, forwards: readonly Forward[]) => Promise<void>;
}

/** Per start of a pod. */
const MAX_FIRST_TRIES = 5;
/** Milliseconds; doubles up to the last one. */
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [500, 15_000];

/** Reconnects until interrupted. Pod-ended (10), denied (3), unavailable (7), port-in-use (14). */
export async function keepConnected(ctx: CommandContext, options: ForwardOptions): Promise<never> {
  const { word, address, onOpen } = options;
  let { forwards } = options;
  let known: ReachablePod | undefined;
  let [isOpened, tries] = [false, 0];
  const wait = growingWait(ctx);
  for (;;) {
    const pod = await reachWhenThere(ctx, word, known);
    const loop = pod.address.host === LOOPBACK ? forwards.find(({ local, remote }) => local === remote) : undefined;
    if (loop !== undefined)
      throw usage(
        `port ${String(loop.local)} would lead to itself: pods of the local service share the ports of this machine`,
        `Use another port here: 0:${String(loop.remote)}`,
      );
    if (known?.start !== pod.start) tries = 0;
    known = pod;
    const refused = new Set<string>();
    const tunnel = await openTunnel(ctx, {
      pod,
      forwards,
      address,
      // After a restart, the port that the pod chose is requested again.
      onRemotePort: (local, remote) => {
        const at = forwards.findIndex((each) => each.local === local && each.remote === 0);
        forwards = forwards.map((each, index) => (index === at ? { ...each, remote } : each));
      },
      onRefused: (reason) => {
        if (!refused.has(reason)) void ctx.tell(`connection refused on the other side: ${reason}`);
        refused.add(reason);
      },
    });
    try {
      if (await untilAborted(ctx.signal, tunnel.ready)) {
        if (isOpened) await ctx.tell(`Connected to ${pod.name} again.`);
        else await onOpen(pod, forwards);
        [isOpened, tries] = [true, 0];
        wait.reset();
        await untilAborted(ctx.signal, tunnel.ended);
        await ctx.tell(`The connection to ${pod.name} ended. Connecting again.`);
      } else {
        tries += 1;
        const said = await tunnel.ended;
        throwIfFinal(pod, said, !isOpened && tries >= MAX_FIRST_TRIES);
        if (tries === 1) await ctx.tell(`Could not connect to ${pod.name}: ${reasonOf(said)}. Trying again.`);
      }
    } finally {
      tunnel.stop();
    }
    await wait.next();
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

function growingWait(ctx: CommandContext) {
  let nextMs = FIRST_WAIT_MS;
  return {
    reset: (): void => {
      nextMs = FIRST_WAIT_MS;
    },
    next: async (): Promise<void> => {
      const waitMs = nextMs;
      nextMs = Math.min(LAST_WAIT_MS, nextMs * 2);
      await every(ctx, waitMs);
    },
  };
}

function isComing(pod: Json): boolean {
  const status = statusOf(pod);
  if (status === 'PROVISIONING' || status === 'STARTING') return true;
  return status === 'RUNNING' && stringsOf(memberAt(pod, 'ports')).includes('22/tcp') && !isReachable(pod);
}

/** With `known`, retries forever while the network is down; pod-ended (10). Else fails as `reachPod`. */
async function reachWhenThere(ctx: CommandContext, word: string, known?: ReachablePod): Promise<ReachablePod> {
  const wait = growingWait(ctx);
  let told: string | undefined;
  const tellOnce = async (line: string): Promise<void> => {
    if (told !== line) await ctx.tell(line);
    told = line;
  };
  for (;;) {
    try {
      const found = await readPod(ctx, known?.id ?? word);
      const { pod, id } = found;
      if (directSsh(pod) !== undefined) return reachableOf(found);
      if (!isComing(pod)) throw known === undefined ? notReachable(pod, id) : hasEnded(known, pod);
      await tellOnce(`Pod ${known?.name ?? word} is ${describeReach(pod)}: waiting until it can be reached.`);
    } catch (error) {
      if (known === undefined || !(error instanceof Failure) || ctx.signal.aborted) throw error;
      if (error.exit === EXIT.notFound) throw hasEnded(known, { status: 'gone' });
      if (error.exit !== EXIT.unavailable && error.exit !== EXIT.rateLimited) throw error;
      await tellOnce(`could not read pod ${known.name}: ${error.message}. Trying again.`);
    }
    await wait.next();
  }
}

function hasEnded({ id, name }: ReachablePod, pod: Json): Failure {
  const status = statusOf(pod);
  return new Failure({
    code: 'pod-ended',
    exit: EXIT.jobFailed,
    message: `pod ${name} is ${status}: no longer connected`,
    hint: status === 'gone' ? undefined : notReachable(pod, id).hint,
    id,
  });
}
