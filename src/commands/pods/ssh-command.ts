import type { CommandContext } from '../../cli/model/context.ts';
import type { ProgramStreams } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, interrupted, usage } from '../../core/failure.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';

/** ssh's exit code for its own errors. */
export const SSH_FAILED = 255;

interface Interruption {
  /** The command has a terminal in the pod: it gets Ctrl-C, and ssh exits with its code. */
  readonly tty: boolean;
  readonly hint?: Message;
}

/** Returns the command's code or 255 for ssh's own error. Interrupted (130, 143) if a signal ended it. */
export async function runSsh(
  ctx: CommandContext,
  args: readonly string[],
  { tty, hint }: Interruption,
): Promise<number> {
  let interrupt: Failure | undefined;
  const code = await ctx.spawn.run('ssh', args, {}, (signal) => {
    interrupt ??= interrupted(signal);
  });
  const isOwnEnd = code === SSH_FAILED || (!tty && code === interrupt?.exit);
  if (interrupt !== undefined && isOwnEnd) throw hint === undefined ? interrupt : interrupt.with({ hint });
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

/** Validated: nothing in it can become an ssh option or be run by a shell. */
export interface SshAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
}

/** Unavailable (7) for an invalid host, user or port. */
export function sshAddress(address: Json, id: string): SshAddress {
  const host = stringAt(address, 'host') ?? '';
  const user = stringAt(address, 'username') ?? '';
  const port = numberAt(address, 'port') ?? Number.NaN;
  if (!/^[A-Za-z0-9:]([A-Za-z0-9.:_-]*[A-Za-z0-9.:])?$/.test(host)) throw invalidAddress('host', id);
  if (!/^[A-Za-z0-9_][A-Za-z0-9._@+-]*$/.test(user)) throw invalidAddress('user name', id);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw invalidAddress('port', id);
  return { host, port, user };
}

export const addressArguments = ({ host, port, user }: SshAddress): readonly string[] => [
  '-p',
  String(port),
  `${user}@${host}`,
];

const invalidAddress = (what: string, id: string): Failure =>
  new Failure({
    code: 'unusable-answer',
    exit: EXIT.unavailable,
    message: `the service gives an invalid ${what} for ssh`,
    hint: sentence`Nothing was run. See what it says: ${berth`pods get ${id} --fields ssh --json`}`,
    id,
  });

interface RemoteSettings {
  readonly cwd: string | undefined;
  readonly env: readonly string[];
  /** Its keys also reach the shell that waits for the command. */
  readonly tty?: boolean;
}

/** Quoted once, for the remote shell. Signals become 128 + n: ssh would report its own error. Usage (2). */
export function remoteCommand(words: readonly string[], { cwd, env, tty }: RemoteSettings): string {
  const wrong = env.find((each) => !/^[A-Za-z_]\w*=/.test(each));
  if (wrong !== undefined) throw usage(`--env is not NAME=VALUE: ${JSON.stringify(wrong)}`);
  const command = [...(env.length > 0 ? ['env', ...env] : []), ...words].map(quoted).join(' ');
  const folder = cwd === undefined ? '' : `cd ${quoted(cwd.startsWith('-') ? `./${cwd}` : cwd)} && `;
  return `${tty === true ? 'trap : INT QUIT; ' : ''}${folder}${command}; exit $?`;
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** On Windows the user profile, even if a shell sets HOME, as ssh does. Else see `Spawn.accountHome`. */
export function homeOfSsh({ env, platform }: Pick<CommandContext, 'env' | 'platform'>): string | undefined {
  const names = platform === 'win32' ? ['USERPROFILE', 'HOME'] : ['HOME', 'USERPROFILE'];
  return names.map((name) => env[name]).find((home) => home !== undefined && home !== '');
}
