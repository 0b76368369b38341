import { run as runLine } from '../../cli/hint.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { either, ownObject, TEXT, YES_NO } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { changeResult } from '../../cli/resource/fields.ts';
import { localFile, unlessFailed, usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';
import { refusedName } from '../files/names.ts';
import { type ReachablePod, reachPod } from './reach-pod.ts';
import { homeOfSsh, quotedPath } from './ssh-options.ts';
import { PODS } from './fields.ts';

const HOST_SUFFIX = '.berth';

/**
 * ssh inserts names unescaped into ProxyCommand and paths, so names with a quote or a slash are excluded; on Windows, where
 * cmd.exe reads the command, what joins or redirects commands: a name can then only add words after `--`.
 */
export function sshConfigText(program: readonly string[], knownHosts: string, platform: string): string {
  const isWindows = platform === 'win32';
  const excluded = isWindows
    ? ['/', '\\', ':', '%', '&', '|', '<', '>', '^'].map((sign) => `!*${sign}*`)
    : [`"!*'*"`, '"!*/*"'];
  const quoted = (word: string): string => (isWindows ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`);
  const wordOf = (word: string): string => (/^[\w@+=:,./-]+$/.test(word) ? word : quoted(word).replaceAll('%', '%%'));
  return `# Written by berth (pods ssh-config).
Host *${HOST_SUFFIX} ${excluded.join(' ')}
  ProxyCommand ${[...program, 'pods', 'connect', '--'].map(wordOf).join(' ')} ${quoted('%n')}
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

const FILE = 'berth_config';
/** Must come first in ~/.ssh/config: after a `Host` line it would be for that host alone. */
const LINE = `Include ${FILE}`;

/** At the top; everything else is unchanged, line ends too. */
function withInclude(text: string): string {
  const [first = ''] = text.split('\n');
  return first.trim() === LINE ? text : `${LINE}${text.includes('\r\n') ? '\r\n' : '\n'}${text}`;
}

const withoutInclude = (text: string): string =>
  text
    .split(/(?<=\n)/)
    .filter((each) => each.trim() !== LINE)
    .join('');

export const sshConfig = defineCommand({
  output: () => either(ownObject({ config: TEXT }), ownObject({ installed: YES_NO, file: TEXT })),
  summary: 'let ssh, scp, rsync, git and editors reach pods as NAME.berth',
  details:
    'Prints a block for the configuration of ssh, so that `ssh lab.berth` finds the pod lab, also after a restart. --install writes ~/.ssh/berth_config and includes it at the top of ~/.ssh/config; --uninstall removes both.',
  changesMachine: true,
  options: {
    install: option.on('write it, and include it in ~/.ssh/config'),
    uninstall: option.on('remove what --install wrote'),
  },
  examples: [
    ['berth pods ssh-config', 'print the block'],
    ['berth pods ssh-config --install', 'then: ssh lab.berth, scp f lab.berth:, git clone lab.berth:repo'],
  ],
  run: async (ctx, { install, uninstall }) => {
    if (install && uninstall) throw usage('use either --install or --uninstall');
    const { account } = ctx.settings.accountWords;
    const program = [...ctx.spawn.self, ...account];
    const text = sshConfigText(program, await ctx.spawn.knownHosts(), ctx.platform);
    if (!install && !uninstall) return changeResult(ctx, { config: text }, [], text);
    const home = homeOfSsh(ctx);
    if (home === undefined) throw usage('no home folder, so no ~/.ssh/config', runLine(berth`pods ssh-config`));
    const [file, config] = [`${home}/.ssh/${FILE}`, `${home}/.ssh/config`];
    const durable = await ctx.durable();
    const before = await readConfig(ctx, config);
    const after = install ? withInclude(before) : withoutInclude(before);
    if (install) await ctx.files.write(file, text, { mode: 0o600, makeParents: true });
    if (after !== before) await ctx.files.write(config, after, { mode: (await ctx.files.mode(config)) ?? 0o600 });
    if (uninstall && (await durable.size(file)) !== undefined) await durable.remove(file);
    const note = install
      ? sentence`Pods are ssh hosts now: ssh NAME.berth. Names: ${berth`pods list`}`
      : 'Removed NAME.berth from ssh.';
    return changeResult(ctx, { installed: install, file }, [note]);
  },
});

/** Empty if missing. Local-file (14) if a change could not keep it byte for byte. */
async function readConfig(ctx: CommandContext, path: string): Promise<string> {
  const durable = await ctx.durable();
  if ((await durable.size(path)) === undefined) return '';
  const bytes = await ctx.files.read(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw localFile(`${path} is not UTF-8: nothing was changed`, `Add this line at its top: ${LINE}`);
  }
}

export const connect = defineCommand({
  summary: "connect stdin and stdout to a pod's SSH port, for ssh's ProxyCommand",
  details: 'ssh runs it for the hosts of berth pods ssh-config: it finds the address that the pod has now.',
  changesMachine: true,
  hidden: true,
  args: { id: arg.text('a pod id or name; NAME.berth as ssh writes it', { metavar: 'POD', complete: PODS }) },
  examples: [['berth pods connect train-llm', "as ssh's ProxyCommand: what berth pods ssh-config writes"]],
  run: async (ctx, { id }) => {
    const isHost = id.endsWith(HOST_SUFFIX);
    const pod = await reachPod(ctx, isHost ? id.slice(0, -HOST_SUFFIX.length) : id);
    if (isHost) await rememberStart(ctx, id, pod);
    await ctx.spawn.connect(pod.address.host, pod.address.port);
    return { kind: 'nothing' };
  },
});

/** Forgets the host key after a restart: a new container has a new key. Usage (2), local-file (14). */
async function rememberStart(ctx: CommandContext, host: string, { id, start }: ReachablePod): Promise<void> {
  if (/[/\\]/.test(host) || refusedName(host, ctx.platform) !== undefined)
    throw usage(`${JSON.stringify(host)} cannot be a host name`, 'Use the id of the pod.');
  const files = await ctx.durable();
  const keys = `${await ctx.spawn.knownHosts()}.d/${host}`;
  const [mark, now] = [`${keys}.start`, `${id} ${start}\n`];
  const before = await unlessFailed(ctx, async () => new TextDecoder().decode(await ctx.files.read(mark)));
  if (before === now) return;
  if ((await files.size(keys)) !== undefined) await files.remove(keys);
  await ctx.files.write(mark, now, { mode: 0o600, makeParents: true });
}
