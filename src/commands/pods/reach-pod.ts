import { type CommandContext, isLocalService } from '../../cli/model/context.ts';
import { readRow } from '../../cli/resource/identify.ts';
import { directSsh, isReachable, statusOf } from './reachable.ts';
import { PODS } from './resource.ts';
import { addressArguments, sshAddress, type SshAddress } from './ssh-command.ts';
import { startFirst } from './start-first.ts';
import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, unlessFailed, usage } from '../../core/failure.ts';
import { asId, type Id } from '../../core/ids.ts';
import { arrayAt, type Json, memberAt, objectAt, stringAt, stringsOf } from '../../core/json.ts';
import { berth, flags, type Message, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';

export interface ReachablePod {
  readonly id: Id<'pod'>;
  readonly name: string;
  /** Identifies the start: each has its own host key. */
  readonly start: string;
  readonly address: SshAddress;
}

/** With `start`, starts the pod first. Usage (2) without SSH address, not-found (4). */
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

export function reachableOf(answer: ApiAnswer, word: string, hasStart = true): ReachablePod {
  const pod = answer.value ?? null;
  const direct = directSsh(pod);
  if (direct === undefined) throw notReachable(pod, word, hasStart);
  const id = asId<'pod'>(stringAt(pod, 'id') ?? word);
  const address = sshAddress(direct, id);
  if (isLocalService(answer) && address.host !== LOOPBACK) throw madeUp(word);
  return { ...startOf(pod, id), name: safeText(stringAt(pod, 'name') ?? id), address };
}

export const startOf = (pod: Json, id: string): Pick<ReachablePod, 'id' | 'start'> => ({
  id: asId<'pod'>(stringAt(pod, 'id') ?? id),
  start: stringAt(pod, 'startedAt') ?? '',
});

/** Without a published SSH port, a start changes nothing. */
export const publishesSsh = (pod: Json): boolean =>
  arrayAt(pod, 'ports') === undefined || stringsOf(memberAt(pod, 'ports')).includes('22/tcp');

export const LOOPBACK = '127.0.0.1';

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

/** --start-ssh stores the account's keys in a variable at creation (contract rules, Pods). */
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

/** Reads the pod again after a broken connection; empty if that fails too. */
export async function stateNow(
  ctx: CommandContext,
  { id, start }: Pick<ReachablePod, 'id' | 'start'>,
): Promise<readonly Message[]> {
  const row = await unlessFailed(ctx, async () => (await readRow(ctx, PODS, id)).answer.value ?? null);
  if (row === undefined) return [];
  if (statusOf(row) !== 'RUNNING') return [`The pod is ${safeText(statusOf(row))} now.`];
  if (startOf(row, id).start !== start)
    return [
      'The pod was started again meanwhile: what ran in it has ended, and its container disk was wiped; what is on its mounts stays.',
    ];
  return [
    sentence`The pod still runs, and was not started again. If it refused your keys: which would fit, and what to do, says ${berth`pods ssh ${id} --explain`}.`,
  ];
}

/**
 * The options with which ssh trusts a pod: its host key is kept by pod and start in a file of berth's own, because
 * each start is a new container with a new key. The key of a start that was not seen before is accepted and kept; another key
 * within one start is refused. Connections are not shared: a shared one goes stale when the pod restarts.
 */
export const trustOptions = (
  { id, start }: Pick<ReachablePod, 'id' | 'start'>,
  knownHosts: string,
): readonly string[] =>
  [
    `UserKnownHostsFile=${quotedPath(knownHosts)}`,
    'GlobalKnownHostsFile=none',
    `HostKeyAlias=${hostKeyAlias(id, start)}`,
    'StrictHostKeyChecking=accept-new',
    'CheckHostIP=no',
    'UpdateHostKeys=no',
    'ControlMaster=no',
    'ControlPath=none',
  ].flatMap((option) => ['-o', option]);

/** Letters, digits and dots only, so that ssh reads one name. */
const hostKeyAlias = (id: string, start: string): string =>
  ['berth', id, start].map((part) => part.replace(/[^A-Za-z0-9-]/g, '')).join('.');

/** Quoted, so that ssh expands no tokens in it. */
export const quotedPath = (path: string): string =>
  `"${path.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replaceAll('%', '%%')}"`;

/** Overrides user settings that break unattended connections. Silence ends the connection after 45 s. */
const QUIET = ['RemoteCommand=none', 'ClearAllForwardings=yes', 'ServerAliveInterval=15', 'LogLevel=ERROR'];

/** Without a terminal, ssh must not prompt. */
export async function sshArguments(
  ctx: Pick<CommandContext, 'spawn' | 'terminal'>,
  pod: ReachablePod,
  { line, tty = false }: { readonly line: string; readonly tty?: boolean },
): Promise<readonly string[]> {
  const trust = trustOptions(pod, await ctx.spawn.knownHosts());
  const { output, errors, canAsk } = ctx.terminal;
  const quiet = [...QUIET, ...(output || errors || canAsk ? [] : ['BatchMode=yes'])].flatMap((each) => ['-o', each]);
  return [...trust, ...quiet, tty ? '-t' : '-T', ...addressArguments(pod.address), '--', line];
}

/** Denied (3), which a retry does not change; undefined for another reason. */
export function sshRefusal({ id, name }: ReachablePod, said: readonly string[]): Failure | undefined {
  const denied = said.find((line) => /Permission denied \(|Host key verification failed/.test(line));
  if (denied === undefined) return undefined;
  return new Failure({
    code: 'ssh-refused',
    exit: EXIT.denied,
    message: `ssh cannot enter pod ${name}: ${safeText(denied.trim().replace(/\.$/, ''))}`,
    hint: denied.includes('Host key')
      ? sentence`Its host key changed within one start of the pod. See it: ${berth`pods get ${id}`}`
      : sentence`Which keys would fit, and what to do when none does: ${berth`pods ssh ${id} --explain`}`,
    id,
  });
}
