/** What the user's ssh is called with: the address of a pod, and the host keys that are trusted. */
import { run } from '../../cli/hint.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { berth } from '../../core/message.ts';

/** Validated: nothing in it can become an ssh option or be run by a shell. */
export type SshAddress = ReturnType<typeof sshAddress>;

/** Each start is a new container, with a host key of its own. */
interface PodStart {
  readonly id: string;
  readonly start: string;
}

/** Unavailable (7) for an invalid host, user or port. */
export function sshAddress(address: Json, id: string) {
  const host = stringAt(address, 'host') ?? '';
  const user = stringAt(address, 'username') ?? '';
  const port = numberAt(address, 'port') ?? Number.NaN;
  const isHost = /^[A-Za-z0-9:]([A-Za-z0-9.:_-]*[A-Za-z0-9.:])?$/.test(host);
  const isUser = /^[A-Za-z0-9_][A-Za-z0-9._@+-]*$/.test(user);
  if (isHost && isUser && Number.isInteger(port) && port > 0 && port < 65_536) return { host, port, user };
  throw new Failure({
    code: 'unusable-answer',
    exit: EXIT.unavailable,
    message: `the service gives pod ${id} an invalid SSH address`,
    hint: run(berth`pods get ${id} --fields ssh --json`),
    id,
  });
}

export const addressArguments = ({ host, port, user }: SshAddress) => ['-p', String(port), `${user}@${host}`] as const;

export const sshOptions = (options: readonly string[]): readonly string[] => options.flatMap((each) => ['-o', each]);

/**
 * The host key of a pod is kept by pod and start in a file of berth's own: each start is a new container with a new key. The
 * first key of a start is accepted, another one refused. Connections are not shared: they go stale when the pod restarts.
 */
export const trustOptions = (pod: PodStart, knownHosts: string): readonly string[] =>
  sshOptions([
    `UserKnownHostsFile=${quotedPath(knownHosts)}`,
    'GlobalKnownHostsFile=none',
    `HostKeyAlias=${hostKeyAlias(pod)}`,
    'StrictHostKeyChecking=accept-new',
    'CheckHostIP=no',
    'UpdateHostKeys=no',
    'ControlMaster=no',
    'ControlPath=none',
  ]);

/** Letters, digits, dashes and dots only, so that ssh reads one name. */
export const hostKeyAlias = ({ id, start }: PodStart): string =>
  ['berth', id, start].map((part) => part.replace(/[^A-Za-z0-9-]/g, '')).join('.');

/** Quoted, so that ssh expands no tokens in it. */
export const quotedPath = (path: string): string =>
  `"${path.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replaceAll('%', '%%')}"`;

/** On Windows the user profile, even if a shell sets HOME, as ssh does. */
export function homeOfSsh({ env, platform }: Pick<CommandContext, 'env' | 'platform'>): string | undefined {
  const names = platform === 'win32' ? ['USERPROFILE', 'HOME'] : ['HOME', 'USERPROFILE'];
  return names.map((name) => env[name]).find((home) => home !== undefined && home !== '');
}
