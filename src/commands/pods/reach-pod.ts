/** How a pod is reached by the user's ssh: which pod, the command there, and why it is refused. */
import { run } from '../../cli/hint.ts';
import { type CommandContext, isLocalService } from '../../cli/model/context.ts';
import { rowRequest } from '../../core/api.ts';
import { withId } from '../../cli/resource/targets.ts';
import { PODS } from './fields.ts';
import { directSsh, isReachable, statusOf } from './reachable.ts';
import {
  addressArguments,
  hostKeyAlias,
  type SshAddress,
  sshAddress,
  sshOptions,
  trustOptions,
} from './ssh-options.ts';
import type { ProgramStreams } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, interrupted, usage } from '../../core/failure.ts';
import { asId, type Id } from '../../core/ids.ts';
import { arrayAt, type Json, memberAt, stringAt, stringsOf } from '../../core/json.ts';
import { berth, type CommandLine, type Message, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';

/** ssh's exit code for its own errors. */
export const SSH_FAILED = 255;

export interface ReachablePod {
  readonly id: Id<'pod'>;
  readonly name: string;
  /** Identifies the start: each has its own host key. */
  readonly start: string;
  readonly address: SshAddress;
  /** The file of the only key that is tried; absent for those that ssh finds. */
  readonly key?: string | undefined;
}

/** Overrides settings of the user that break unattended connections. Silence ends a connection after 45 s. */
const QUIET = ['RemoteCommand=none', 'ClearAllForwardings=yes', 'ServerAliveInterval=15', 'LogLevel=ERROR'];

/** Without a terminal, ssh must not prompt. */
export async function sshArguments(
  ctx: CommandContext,
  pod: ReachablePod,
  { line, tty = false }: { readonly line: string; readonly tty?: boolean },
): Promise<readonly string[]> {
  const { output, errors, canAsk } = ctx.terminal;
  const quiet = sshOptions([...QUIET, ...(output || errors || canAsk ? [] : ['BatchMode=yes'])]);
  const trust = trustOptions(pod, await ctx.spawn.knownHosts());
  const key = pod.key === undefined ? [] : ['-i', pod.key, ...sshOptions(['IdentitiesOnly=yes'])];
  return [...trust, ...quiet, ...key, tty ? '-t' : '-T', ...addressArguments(pod.address), '--', line];
}

/** In characters: a line that never ends is split. */
const LONGEST_LINE = 65_536;

/** Calls back for each line of the bytes taken, and for the rest at the end. */
export function linesOf(onLine: (line: string) => void) {
  const decoder = new TextDecoder();
  let rest = '';
  return {
    take: (bytes: Uint8Array): void => {
      const found = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
      rest = found.pop() ?? '';
      found.forEach(onLine);
      for (; rest.length > LONGEST_LINE; rest = rest.slice(LONGEST_LINE)) onLine(rest.slice(0, LONGEST_LINE));
    },
    end: (): void => {
      if (rest !== '') onLine(rest);
    },
  };
}

/** The first 100 lines that ssh says. */
export function saidLines() {
  const said: string[] = [];
  const { take } = linesOf((line) => {
    if (said.length < 100 && line.trim() !== '') said.push(line);
  });
  return { said, take };
}

/** Denied (3): by the lines of this ssh alone, and not of another one that the command runs in the pod. */
export function sshRefusal(pod: ReachablePod, said: readonly string[]): Failure | undefined {
  const { id, name, address } = pod;
  const lines = said.map((line) => line.toLowerCase());
  const denied = `${address.user}@${address.host}: permission denied (`.toLowerCase();
  const changed = `host key for ${hostKeyAlias(pod)} has changed`.toLowerCase();
  const refusal = (why: string, command: CommandLine): Failure =>
    new Failure({ code: 'ssh-refused', exit: EXIT.denied, message: `pod ${name} ${why}`, hint: run(command), id });
  if (lines.some((line) => line.startsWith(denied)))
    return refusal('refused your SSH keys', berth`pods ssh ${id} --explain`);
  if (lines.some((line) => line.includes(changed)))
    return refusal('has another SSH host key than before: Host key verification failed', berth`pods get ${id}`);
  return undefined;
}

/** What ssh's own error means: denied (3) as above, else unavailable (7). */
export function sshFailure(pod: ReachablePod, said: readonly string[]): Failure {
  const message = `connection to pod ${pod.name} lost: ${safeText(said.at(-1) ?? `exit code ${String(SSH_FAILED)}`)}`;
  const hint = run(berth`pods get ${pod.id}`);
  const lost = new Failure({ code: 'connection-lost', exit: EXIT.unavailable, message, hint, id: pod.id });
  return sshRefusal(pod, said) ?? lost;
}

/**
 * Returns the command's code or 255 for ssh's own error. Interrupted (130, 143) if a signal ended it. With `tty` the command has
 * a terminal in the pod: it gets Ctrl-C, and ssh exits with its code.
 */
export async function runSsh(
  ctx: CommandContext,
  args: readonly string[],
  tty: boolean,
  hint?: Message,
  onError?: (bytes: Uint8Array) => void,
): Promise<number> {
  let interrupt: Failure | undefined;
  const onSignal = (signal: Parameters<typeof interrupted>[0]): void => {
    interrupt ??= interrupted(signal, hint);
  };
  const code = await ctx.spawn.run('ssh', args, { onSignal, onError });
  if (interrupt !== undefined && (code === SSH_FAILED || (!tty && code === interrupt.exit))) throw interrupt;
  return code;
}

/** Runs a command in the pod, beside this program, until it ends or the signal comes. Returns the exit code and what ssh said. */
export async function runInPod(
  ctx: CommandContext,
  pod: ReachablePod,
  line: string,
  { onError, ...streams }: Omit<ProgramStreams, 'onError'> & Partial<ProgramStreams>,
) {
  const { said, take } = saidLines();
  const program = await ctx.spawn.start('ssh', await sshArguments(ctx, pod, { line }), {
    ...streams,
    onError: (bytes) => {
      take(bytes);
      onError?.(bytes);
    },
  });
  const stop = (): void => {
    program.stop();
  };
  ctx.signal.addEventListener('abort', stop, { once: true });
  try {
    // It may have come while the program was started.
    ctx.signal.throwIfAborted();
    const code = await program.ended;
    ctx.signal.throwIfAborted();
    return { code, said };
  } finally {
    ctx.signal.removeEventListener('abort', stop);
    stop();
  }
}

interface RemoteSettings {
  readonly cwd?: string | undefined;
  readonly env?: readonly string[];
  /** Its keys also reach the shell that waits for the command. */
  readonly tty?: boolean;
}

/** Quoted once, for the remote shell. Signals become 128 + n: ssh would report its own error. Usage (2). */
export function remoteCommand(words: readonly string[], { cwd, env = [], tty = false }: RemoteSettings = {}): string {
  const wrong = env.find((each) => !/^[A-Za-z_]\w*=/.test(each));
  if (wrong !== undefined) throw usage(`invalid --env ${JSON.stringify(wrong)}: must be NAME=VALUE`);
  const command = [...(env.length > 0 ? ['env', ...env] : []), ...words].map(quoted).join(' ');
  const folder = cwd === undefined ? '' : `cd ${quoted(cwd.startsWith('-') ? `./${cwd}` : cwd)} && `;
  return `${tty ? 'trap : INT QUIT; ' : ''}${folder}${command}; exit $?`;
}

export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

export const LOOPBACK = '127.0.0.1';

interface PodRead {
  readonly id: Id<'pod'>;
  readonly pod: Json;
  /** Of the local service: a pod without an SSH server has the address of no machine. */
  readonly isLocal: boolean;
}

export async function readPod(ctx: CommandContext, word: string): Promise<PodRead> {
  await ctx.openLocalPods();
  const answer = await withId(ctx, PODS, word, (id) => ctx.api.send(rowRequest(PODS, id)));
  const pod = answer.value ?? null;
  return { id: asId<'pod'>(stringAt(pod, 'id') ?? word), pod, isLocal: isLocalService(answer) };
}

/** Usage (2) without a direct SSH address, not-found (4). */
export const reachPod = async (ctx: CommandContext, word: string): Promise<ReachablePod> =>
  reachableOf(await readPod(ctx, word));

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
