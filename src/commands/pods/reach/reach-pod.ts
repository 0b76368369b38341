import type { ApiAnswer } from '../../../core/api.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, usage } from '../../../core/failure.ts';
import { asId, type Id } from '../../../core/ids.ts';
import { arrayAt, objectAt, stringAt, stringsOf, memberAt, type Json } from '../../../core/json.ts';
import { berth, flags, sentence } from '../../../core/message.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { readRow } from '../../../cli/resource/identity/identify.ts';
import { isLocalService } from '../../shared/is-local-service.ts';
import { directSsh, isReachable, statusOf } from '../pod/reachable.ts';
import { PODS } from '../pod/resource.ts';
import { sshAddress, type SshAddress } from './ssh-address.ts';
import { startFirst } from './start-first.ts';

/** A pod that commands, files and ports can go to, at one start of it. */
export interface ReachablePod {
  readonly id: Id<'pod'>;
  readonly name: string;
  /** What tells its starts apart: each has a host key of its own. */
  readonly start: string;
  readonly address: SshAddress;
}

/**
 * Finds the direct SSH address of a pod by its id or name. Fails with usage (2) where the pod has none now, and says what gives it
 * one; with not-found (4), and as reading it does. With `start`, a pod that does not run is started first; undefined where the
 * command has no such flag.
 */
export async function reachPod(ctx: CommandContext, word: string, start?: boolean): Promise<ReachablePod> {
  await ctx.openLocalPods();
  const read = async () => (await readRow(ctx, PODS, word)).answer;
  let answer = await read();
  if (start === true && publishesSsh(answer.value ?? null)) {
    await startFirst(ctx, answer.value ?? null, word);
    answer = await read();
  }
  return reachableOf(answer, word, start !== undefined);
}

/** The same for the row of a pod that was read. `hasStart`: the command has the flag --start. */
export function reachableOf(answer: ApiAnswer, word: string, hasStart = true): ReachablePod {
  const pod = answer.value ?? null;
  const direct = directSsh(pod);
  if (direct === undefined) throw notReachable(pod, word, hasStart);
  const id = asId<'pod'>(stringAt(pod, 'id') ?? word);
  const address = sshAddress(direct, id);
  if (isLocalService(answer) && address.host !== LOOPBACK) throw madeUp(word);
  return { ...startOf(pod, id), name: stringAt(pod, 'name') ?? id, address };
}

/** A pod and its present start. */
export const startOf = (pod: Json, id: string): Pick<ReachablePod, 'id' | 'start'> => ({
  id: asId<'pod'>(stringAt(pod, 'id') ?? id),
  start: stringAt(pod, 'startedAt') ?? '',
});

/** Whether a pod publishes the port of SSH, as far as is known: without it, a start changes nothing. */
export const publishesSsh = (pod: Json): boolean =>
  arrayAt(pod, 'ports') === undefined || stringsOf(memberAt(pod, 'ports')).includes('22/tcp');

/** Where the pods of a local service listen. */
export const LOOPBACK = '127.0.0.1';

/** Why commands, files and ports cannot go to a pod. `hasStart`: the command has the flag --start. */
export function notReachable(pod: Json, word: string, hasStart = true): Failure {
  const id = stringAt(pod, 'id') ?? word;
  const status = statusOf(pod);
  const ports = stringsOf(memberAt(pod, 'ports'));
  const message = (why: string): string => `pod ${id} cannot be reached by direct SSH: ${why}`;
  if (status === 'TERMINATED')
    return usage(message('it is TERMINATED'), sentence`It is gone for good. Other pods: ${berth`pods list`}`);
  const isPossible = publishesSsh(pod);
  if (status === 'ERROR')
    return usage(message('it is ERROR'), sentence`Why, and what ends its cost: ${berth`pods explain ${id}`}`);
  if (isPossible && status === 'EXITED')
    return usage(
      message(`it is ${status}`),
      sentence`${hasStart ? 'Add --start, or start' : 'Start'} it first: ${berth`pods start ${id} --wait`}`,
    );
  if ((isPossible && status !== 'RUNNING') || (ports.includes('22/tcp') && !isReachable(pod)))
    return usage(
      message(`it is ${status}`),
      sentence`Wait until it can be reached: ${berth`pods wait ${id} --for reachable`}`,
    );
  const withProxy = objectAt(pod, 'ssh.proxy') !== undefined;
  const publish = isPossible ? [] : [...ports, '22/tcp'].flatMap((port) => ['--port', port]);
  const update = sentence`${berth`pods update ${id} ${flags(publish)}`}${lacksKey(pod) ? ' --env PUBLIC_KEY="$(cat ~/.ssh/id_ed25519.pub)"' : ''}`;
  return usage(
    message(ports.includes('22/tcp') ? 'it takes no SSH' : 'it does not publish 22/tcp'),
    sentence`${withProxy ? 'Its proxy address is a terminal and nothing else. ' : ''}A pod takes direct SSH when it is created with --start-ssh --port 22/tcp. To change this one, which restarts it and wipes its container disk: ${update}`,
  );
}

/** Whether a pod has no key for SSH: the flag --start-ssh of its creation is a variable with the account's keys (contract rules, Pods). */
function lacksKey(pod: Json): boolean {
  const env = objectAt(pod, 'env');
  return env !== undefined && env['PUBLIC_KEY'] === undefined && env['SSH_PUBLIC_KEY'] === undefined;
}

const madeUp = (word: string): Failure =>
  new Failure({
    code: 'not-reachable',
    exit: EXIT.usage,
    message: `pod ${word} of the local service has no SSH server yet`,
    hint: sentence`It takes the keys of the account that are there when it starts: ${berth`account ssh-keys add`}, with your public key, then ${berth`pods restart ${word} --wait`}`,
    id: word,
  });
