/** How ssh is started: the address of a pod, the host keys that are trusted, the command there, and why it was refused. */
import type { CommandContext } from '../../cli/model/context.ts';
import type { ProgramStreams } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, interrupted, usage } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { berth, type CommandLine, type Message } from '../../core/message.ts';
import { run } from '../../cli/hint.ts';

/** ssh's exit code for its own errors. */
export const SSH_FAILED = 255;

/** Validated: nothing in it can become an ssh option or be run by a shell. */
type SshAddress = ReturnType<typeof sshAddress>;

export interface ReachablePod {
  readonly id: Id<'pod'>;
  readonly name: string;
  /** Identifies the start: each has its own host key. */
  readonly start: string;
  readonly address: SshAddress;
  /** The file of the only key that is tried; absent for those that ssh finds. */
  readonly key?: string | undefined;
}

/** Unavailable (7) for an invalid host, user or port. */
export function sshAddress(address: Json, id: string) {
  const host = stringAt(address, 'host') ?? '';
  const user = stringAt(address, 'username') ?? '';
  const port = numberAt(address, 'port') ?? Number.NaN;
  const isValid =
    /^[A-Za-z0-9:]([A-Za-z0-9.:_-]*[A-Za-z0-9.:])?$/.test(host) &&
    /^[A-Za-z0-9_][A-Za-z0-9._@+-]*$/.test(user) &&
    Number.isInteger(port) &&
    port > 0 &&
    port < 65_536;
  if (isValid) return { host, port, user };
  throw new Failure({
    code: 'unusable-answer',
    exit: EXIT.unavailable,
    message: `the service gives pod ${id} an invalid SSH address`,
    hint: run(berth`pods get ${id} --fields ssh --json`),
    id,
  });
}

export const addressArguments = ({ host, port, user }: SshAddress): readonly string[] => [
  '-p',
  String(port),
  `${user}@${host}`,
];

export const sshOptions = (options: readonly string[]): readonly string[] => options.flatMap((each) => ['-o', each]);

/**
 * The host key of a pod is kept by pod and start in a file of berth's own: each start is a new container with a new key. The
 * first key of a start is accepted, another one refused. Connections are not shared: they go stale when the pod restarts.
 */
export const trustOptions = (pod: Pick<ReachablePod, 'id' | 'start'>, knownHosts: string): readonly string[] =>
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
const hostKeyAlias = ({ id, start }: Pick<ReachablePod, 'id' | 'start'>): string =>
  ['berth', id, start].map((part) => part.replace(/[^A-Za-z0-9-]/g, '')).join('.');

/** Quoted, so that ssh expands no tokens in it. */
export const quotedPath = (path: string): string =>
  `"${path.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replaceAll('%', '%%')}"`;

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

/** In characters; longer lines are split. */
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

const MAX_SAID = 100;

/** The first lines that ssh says. */
export function saidLines() {
  const said: string[] = [];
  const { take } = linesOf((line) => {
    if (said.length < MAX_SAID && line.trim() !== '') said.push(line);
  });
  return { said, take };
}

/** Denied (3): by the lines of this ssh alone, and not of another one that the command runs in the pod. */
export function sshRefusal(pod: ReachablePod, said: readonly string[]): Failure | undefined {
  const { id, name } = pod;
  const { user, host } = pod.address;
  const refusal = (why: string, command: CommandLine): Failure =>
    new Failure({ code: 'ssh-refused', exit: EXIT.denied, message: `pod ${name} ${why}`, hint: run(command), id });
  const says = (isIt: (line: string) => boolean): boolean => said.some((line) => isIt(line.toLowerCase()));
  if (says((line) => line.startsWith(`${user}@${host}: permission denied (`.toLowerCase())))
    return refusal('refused your SSH keys', berth`pods ssh ${id} --explain`);
  if (says((line) => line.includes(`host key for ${hostKeyAlias(pod)} has changed`.toLowerCase())))
    return refusal('has another SSH host key than before: Host key verification failed', berth`pods get ${id}`);
  return undefined;
}

interface Run {
  /** The command has a terminal in the pod: it gets Ctrl-C, and ssh exits with its code. */
  readonly tty: boolean;
  readonly hint?: Message;
  readonly onError?: (bytes: Uint8Array) => void;
}

/** Returns the command's code or 255 for ssh's own error. Interrupted (130, 143) if a signal ended it. */
export async function runSsh(ctx: CommandContext, args: readonly string[], { tty, hint, onError }: Run) {
  let interrupt: Failure | undefined;
  const onSignal = (signal: Parameters<typeof interrupted>[0]): void => {
    interrupt ??= interrupted(signal, hint);
  };
  const code = await ctx.spawn.run('ssh', args, { onSignal, onError });
  if (interrupt !== undefined && (code === SSH_FAILED || (!tty && code === interrupt.exit))) throw interrupt;
  return code;
}

/** Runs ssh beside this program, and returns its exit code. The signal ends it. */
export async function runSshBeside(
  ctx: CommandContext,
  args: readonly string[],
  streams: ProgramStreams,
  signal = ctx.signal,
): Promise<number> {
  const program = await ctx.spawn.start('ssh', args, streams);
  const stop = (): void => {
    program.stop();
  };
  signal.addEventListener('abort', stop, { once: true });
  // It may have come while the program was started.
  if (signal.aborted) stop();
  const code = await program.ended;
  signal.removeEventListener('abort', stop);
  return code;
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

/** On Windows the user profile, even if a shell sets HOME, as ssh does. */
export function homeOfSsh({ env, platform }: Pick<CommandContext, 'env' | 'platform'>): string | undefined {
  const names = platform === 'win32' ? ['USERPROFILE', 'HOME'] : ['HOME', 'USERPROFILE'];
  return names.map((name) => env[name]).find((home) => home !== undefined && home !== '');
}
