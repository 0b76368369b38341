import { quotedPath } from './host-trust.ts';

/** What the names of hosts end with. */
export const HOST_SUFFIX = '.berth';

/**
 * The block of ssh's configuration for all pods. `program` starts berth with the flags that choose the account; `knownHosts` is the
 * path of berth's host keys, beside which each host has a file. ssh puts a name between the quotes of ProxyCommand, and into the path of
 * a file, as it is: names with what would end the quotes, or with a slash, are not of the block.
 */
export function sshConfigText(program: readonly string[], knownHosts: string, platform: string): string {
  const { left, word, name } = platform === 'win32' ? WINDOWS : POSIX;
  return `# Written by berth (pods ssh-config).
Host *${HOST_SUFFIX} ${left.join(' ')}
  ProxyCommand ${[...program, 'pods', 'connect', '--'].map(word).join(' ')} ${name}
  User root
  UserKnownHostsFile ${quotedPath(`${knownHosts}.d/`).slice(0, -1)}%n"
  GlobalKnownHostsFile none
  StrictHostKeyChecking accept-new
  HashKnownHosts no
  CheckHostIP no
  UpdateHostKeys no
  ControlMaster no
  ControlPath none
`;
}

/** How a shell reads ProxyCommand after ssh has replaced its tokens, and the names that are left out for it. */
interface ProxyShell {
  readonly left: readonly string[];
  readonly word: (word: string) => string;
  readonly name: string;
}

const isPlain = (word: string): boolean => /^[\w@+=:,./-]+$/.test(word);

const POSIX: ProxyShell = {
  left: [`"!*'*"`, '"!*/*"'],
  word: (word) => (isPlain(word) ? word : `'${word.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`),
  name: "'%n'",
};

/**
 * cmd.exe. A double quote in a name would end the quotes, and no pattern that all versions of ssh read names one; without the signs
 * that join or redirect commands, it can only add words after the `--`. Backslashes and colons are of paths.
 */
const WINDOWS: ProxyShell = {
  left: ['/', '\\', ':', '%', '&', '|', '<', '>', '^'].map((sign) => `!*${sign}*`),
  word: (word) => (isPlain(word) ? word : `"${word.replaceAll('%', '%%')}"`),
  name: '"%n"',
};

/** The line that includes a file beside the user's own. It stands first: after a line \`Host\` it would be conditional. */
export const includeLine = (name: string): string => `Include ${name}`;

/** The user's file with the line at its top; unchanged where it has it. The rest is kept as it is, line ends too. */
export function withInclude(text: string, line: string): string {
  if (hasLine(text, line)) return text;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  return `${line}${end}${text}`;
}

/** The user's file without the line. */
export const withoutInclude = (text: string, line: string): string =>
  text
    .split(/(?<=\n)/)
    .filter((each) => each.trim() !== line)
    .join('');

/** Whether the line is there for all hosts: not below a Host or a Match. */
function hasLine(text: string, line: string): boolean {
  const lines = text.split(/\r?\n/).map((each) => each.trim());
  const conditional = lines.findIndex((each) => /^(host|match)([\s="]|$)/i.test(each));
  return lines.slice(0, conditional < 0 ? undefined : conditional).includes(line);
}
