import { usage } from '../../../core/failure.ts';

/** How a command is run in a pod. */
export interface RemoteSettings {
  readonly cwd: string | undefined;
  /** `NAME=VALUE` */
  readonly env: readonly string[];
  /** It has a terminal, whose keys reach the shell that waits for it too. */
  readonly tty?: boolean;
}

/**
 * The line that a shell of a pod splits into exactly these words. ssh joins its arguments with spaces, and the shell on the other
 * side reads the result: so words are quoted here, once. A command that a signal ends has the exit code of a shell, 128 and the
 * number of the signal: ssh would report it as an error of its own. With a terminal, Ctrl-C goes to the waiting shell too: it must
 * not end it. Fails with usage (2) for a variable that is not NAME=VALUE.
 */
export function remoteCommand(words: readonly string[], { cwd, env, tty }: RemoteSettings): string {
  const wrong = env.find((each) => !/^[A-Za-z_]\w*=/.test(each));
  if (wrong !== undefined) throw usage(`--env is not NAME=VALUE: ${JSON.stringify(wrong)}`);
  const command = [...(env.length > 0 ? ['env', ...env] : []), ...words].map(quoted).join(' ');
  const folder = cwd === undefined ? '' : `cd ${quoted(cwd.startsWith('-') ? `./${cwd}` : cwd)} && `;
  return `${tty === true ? 'trap : INT QUIT; ' : ''}${folder}${command}; exit $?`;
}

/** For a POSIX shell. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
