/** Which pods ssh can reach, started first where that is asked for, and what to do about the others. */
import { run } from '../../cli/hint.ts';
import { type CommandContext, isLocalService } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { catalogOf, hardwareOf, ofNewPod, perHour, tellPrice } from '../../cli/money.ts';
import { podAction } from '../../cli/resource/collections.ts';
import { rowRequest } from '../../cli/resource/pages.ts';
import { withId } from '../../cli/resource/targets.ts';
import type { ApiAnswer } from '../../core/api.ts';
import { type Failure, usage } from '../../core/failure.ts';
import { asId, type Id } from '../../core/ids.ts';
import { arrayAt, type Json, memberAt, stringAt, stringsOf } from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { directSsh, isAt, isReachable, REACHABLE, statusOf } from './reachable.ts';
import { PODS } from './resource.ts';
import { type ReachablePod, sshAddress } from './ssh-command.ts';
import { waitForPod } from './wait.ts';

export const START = option.on('start the pod first and wait until it can be reached');

const START_TIMEOUT_MS: Milliseconds = 600_000;
export const LOOPBACK = '127.0.0.1';

interface PodRead {
  readonly id: Id<'pod'>;
  readonly pod: Json;
  /** Of the local service: a pod without an SSH server has the address of no machine. */
  readonly isLocal: boolean;
}

export async function askPod(ctx: CommandContext, word: string): Promise<ApiAnswer> {
  await ctx.openLocalPods();
  return await withId(ctx, PODS, word, (id) => ctx.api.send(rowRequest(PODS, id)));
}

export function podIn(answer: ApiAnswer, word: string): PodRead {
  const pod = answer.value ?? null;
  return { id: asId<'pod'>(stringAt(pod, 'id') ?? word), pod, isLocal: isLocalService(answer) };
}

/** With `start`, starts it first: wait-ended (9) after ten minutes, and as the start fails. */
export async function readPod(ctx: CommandContext, word: string, start = false): Promise<PodRead> {
  const read = podIn(await askPod(ctx, word), word);
  const { id, pod } = read;
  const status = statusOf(pod);
  if (!start || isAt(pod, REACHABLE) || status === 'TERMINATED' || !publishesSsh(pod)) return read;
  if (status === 'EXITED' || status === 'ERROR') {
    const price = async (): Promise<string> => perHour(ofNewPod(pod, await catalogOf(ctx, pod)));
    await tellPrice(ctx, async () => sentence`Starting ${id}: ${hardwareOf(pod)}: ${await price()}`);
    await ctx.api.send(podAction(id, 'start'));
  }
  await waitForPod(ctx, id, 'RUNNING', START_TIMEOUT_MS);
  // A local service of this process starts its server now.
  await ctx.openLocalPods();
  await waitForPod(ctx, id, REACHABLE, START_TIMEOUT_MS);
  return podIn(await askPod(ctx, word), word);
}

/** Usage (2) without a direct SSH address, not-found (4). */
export const reachPod = async (ctx: CommandContext, word: string, start = false): Promise<ReachablePod> =>
  reachableOf(await readPod(ctx, word, start));

export function reachableOf({ id, pod, isLocal }: PodRead): ReachablePod {
  const direct = directSsh(pod);
  if (direct === undefined) throw notReachable(pod, id);
  const address = sshAddress(direct, id);
  if (isLocal && address.host !== LOOPBACK) throw noServer(id);
  return { id, start: startOf(pod), name: safeText(stringAt(pod, 'name') ?? id), address };
}

export const startOf = (pod: Json): string => stringAt(pod, 'startedAt') ?? '';

/** Without a published SSH port, a start changes nothing. */
export const publishesSsh = (pod: Json): boolean =>
  arrayAt(pod, 'ports') === undefined || stringsOf(memberAt(pod, 'ports')).includes('22/tcp');

export function notReachable(pod: Json, id: string): Failure {
  const status = statusOf(pod);
  const next = {
    TERMINATED: berth`pods list`,
    ERROR: berth`pods explain ${id}`,
    ...(publishesSsh(pod) ? { EXITED: berth`pods start ${id} --wait` } : {}),
  }[status];
  const isComing = ['PROVISIONING', 'STARTING'].includes(status) || !isReachable(pod);
  const [why, hint] =
    next !== undefined
      ? ['', run(next)]
      : isComing && publishesSsh(pod)
        ? [', not reachable yet', run(berth`pods wait ${id}`)]
        : [' and has no SSH address', 'Create pods with --start-ssh, which publishes port 22/tcp.'];
  return usage(`pod ${id} cannot be reached by SSH: it is ${status}${why}`, hint);
}

export const noServer = (id: string): Failure =>
  usage(
    `pod ${id} of the local service has no SSH server`,
    sentence`It takes the account's keys when it starts: ${run(berth`account ssh-keys add`, berth`pods restart ${id} --wait`)}`,
  );
