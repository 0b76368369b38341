import { usage } from '../../../core/failure.ts';

/** How a command is run in a pod. */
export interface RemoteSettings {
  readonly cwd: string | undefined;
  /** `NAME=VALUE` */
  readonly env: readonly string[];
}

/**
 * The line that a shell of a pod splits into exactly these words. ssh joins its arguments with spaces, and the shell on the other
 * side reads the result: so words are quoted here, once. Fails with usage (2) for a variable that is not NAME=VALUE.
 */
export function remoteCommand(words: readonly string[], { cwd, env }: RemoteSettings): string {
  const wrong = env.find((each) => !/^[A-Za-z_]\w*=/.test(each));
  if (wrong !== undefined) throw usage(`--env is not NAME=VALUE: ${JSON.stringify(wrong)}`);
  const command = [...(env.length > 0 ? ['env', ...env] : []), ...words].map(quoted).join(' ');
  return cwd === undefined ? command : `cd ${quoted(cwd.startsWith('-') ? `./${cwd}` : cwd)} && ${command}`;
}

/** For a POSIX shell. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
