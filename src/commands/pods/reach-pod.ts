/** Which pods ssh can reach, and what to do about the others. */
import { run } from '../../cli/hint.ts';
import { type CommandContext, isLocalService } from '../../cli/model/context.ts';
import { rowRequest } from '../../cli/resource/requests.ts';
import { withId } from '../../cli/resource/targets.ts';
import type { ApiAnswer } from '../../core/api.ts';
import { type Failure, usage } from '../../core/failure.ts';
import { asId, type Id } from '../../core/ids.ts';
import { arrayAt, type Json, memberAt, objectAt, stringAt, stringsOf } from '../../core/json.ts';
import { berth, flags, type Message, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { directSsh, isReachable, statusOf } from './reachable.ts';
import { PODS } from './resource.ts';
import { type ReachablePod, sshAddress } from './ssh-command.ts';
import { startFirst } from './start-first.ts';

export const LOOPBACK = '127.0.0.1';

interface PodRead {
  readonly id: Id<'pod'>;
  readonly pod: Json;
  /** Of the local service: a pod without an SSH server has the address of no machine. */
  readonly isLocal: boolean;
}

export const readPod = async (ctx: CommandContext, word: string): Promise<PodRead> =>
  podIn(await askPod(ctx, word), word);

export async function askPod(ctx: CommandContext, word: string): Promise<ApiAnswer> {
  await ctx.openLocalPods();
  return await withId(ctx, PODS, word, (id) => ctx.api.send(rowRequest(PODS, id)));
}

export function podIn(answer: ApiAnswer, word: string): PodRead {
  const pod = answer.value ?? null;
  return { id: asId<'pod'>(stringAt(pod, 'id') ?? word), pod, isLocal: isLocalService(answer) };
}

/** With `start`, starts the pod first. Usage (2) without a direct SSH address, not-found (4). */
export async function reachPod(ctx: CommandContext, word: string, start = false): Promise<ReachablePod> {
  const found = await readPod(ctx, word);
  if (!start || !publishesSsh(found.pod)) return reachableOf(found);
  await startFirst(ctx, found.pod, found.id);
  return reachableOf(await readPod(ctx, word));
}

export function reachableOf({ id, pod, isLocal }: PodRead): ReachablePod {
  const direct = directSsh(pod);
  if (direct === undefined) throw notReachable(pod, id);
  const address = sshAddress(direct, id);
  if (isLocal && address.host !== LOOPBACK) throw noServer(id);
  return { id, start: startOf(pod), name: safeText(stringAt(pod, 'name') ?? id), address };
}

export const startOf = (pod: Json): string => stringAt(pod, 'startedAt') ?? '';

/** Without a published SSH port, a start changes nothing. */
const publishesSsh = (pod: Json): boolean =>
  arrayAt(pod, 'ports') === undefined || stringsOf(memberAt(pod, 'ports')).includes('22/tcp');

export function notReachable(pod: Json, id: string): Failure {
  const status = statusOf(pod);
  const because = (why: string, hint: Message): Failure => usage(`pod ${id} cannot be reached by SSH: ${why}`, hint);
  const isStatus = `it is ${status}`;
  if (status === 'TERMINATED') return because(isStatus, run(berth`pods list`));
  if (status === 'ERROR') return because(isStatus, run(berth`pods explain ${id}`));
  if (!publishesSsh(pod)) return because('port 22/tcp is not published', publishing(pod, id));
  if (status === 'EXITED') return because(isStatus, run(berth`pods start ${id} --wait`));
  if (['PROVISIONING', 'STARTING'].includes(status) || !isReachable(pod))
    return because(`${isStatus}, not reachable yet`, run(berth`pods wait ${id}`));
  return because(`${isStatus} and has no SSH address`, publishing(pod, id));
}

/** --start-ssh stores the account's keys in a variable at the create (contract rules, Pods). */
function publishing(pod: Json, id: string): Message {
  const env = objectAt(pod, 'env');
  const lacksKey = env !== undefined && env['PUBLIC_KEY'] === undefined && env['SSH_PUBLIC_KEY'] === undefined;
  const ports = [...new Set([...stringsOf(memberAt(pod, 'ports')), '22/tcp'])].flatMap((port) => ['--port', port]);
  const key = lacksKey ? ' --env PUBLIC_KEY="$(cat ~/.ssh/id_ed25519.pub)"' : '';
  return sentence`Create pods with --start-ssh --port 22/tcp. To change this one (restarts it, erases its container disk): ${berth`pods update ${id} ${flags(ports)}`}${key}`;
}

export const noServer = (id: string): Failure =>
  usage(
    `pod ${id} of the local service has no SSH server`,
    sentence`It takes the account's keys when it starts: ${run(berth`account ssh-keys add`, berth`pods restart ${id} --wait`)}`,
  );
