import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { either, ownObject, TEXT, YES_NO } from '../../cli/model/output-schema.ts';
import { option } from '../../cli/model/params.ts';
import { changeResult, textResult } from '../../cli/resource/change-result.ts';
import { quotedPath } from './reach-pod.ts';
import { homeOfSsh } from './ssh-command.ts';
import { localFile, usage } from '../../core/failure.ts';
import { berth, type Message, sentence } from '../../core/message.ts';

export const HOST_SUFFIX = '.berth';

/** ssh inserts names unescaped into ProxyCommand and paths: names with quotes or slashes are excluded. */
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

/** How a shell reads ProxyCommand after token replacement, and the excluded names. */
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

/** cmd.exe: without joining or redirecting characters, a name can only add words after `--`. */
const WINDOWS: ProxyShell = {
  left: ['/', '\\', ':', '%', '&', '|', '<', '>', '^'].map((sign) => `!*${sign}*`),
  word: (word) => (isPlain(word) ? word : `"${word.replaceAll('%', '%%')}"`),
  name: '"%n"',
};

/** Must come first: after a `Host` line it would be conditional. */
export const includeLine = (name: string): string => `Include ${name}`;

/** At the top; everything else is unchanged, line ends too. */
export function withInclude(text: string, line: string): string {
  if (hasLine(text, line)) return text;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  return `${line}${end}${text}`;
}

export const withoutInclude = (text: string, line: string): string =>
  text
    .split(/(?<=\n)/)
    .filter((each) => each.trim() !== line)
    .join('');

/** Not below a Host or a Match, where it would be conditional. */
function hasLine(text: string, line: string): boolean {
  const lines = text.split(/\r?\n/).map((each) => each.trim());
  const conditional = lines.findIndex((each) => /^(host|match)([\s="]|$)/i.test(each));
  return lines.slice(0, conditional < 0 ? undefined : conditional).includes(line);
}

const FILE = 'berth_config';
const LINE = includeLine(FILE);

interface Change {
  readonly folder: string;
  readonly before: string;
  readonly after: string;
}

export const sshConfig = defineCommand({
  output: either(ownObject({ config: TEXT }), ownObject({ installed: YES_NO, file: TEXT })),
  summary: 'let ssh, scp, rsync, git and editors reach pods as NAME.berth',
  details:
    'Prints a block for the configuration of ssh, so that `ssh lab.berth` finds the pod lab, also after a restart. --install writes ~/.ssh/berth_config and includes it at the top of ~/.ssh/config; --uninstall removes both.',
  changesMachine: true,
  destroys: false,
  options: {
    install: option.on('write it, and include it in ~/.ssh/config'),
    uninstall: option.on('remove what --install wrote'),
  },
  examples: [
    ['berth pods ssh-config', 'print the block'],
    ['berth pods ssh-config --install --yes', 'then: ssh lab.berth, scp f lab.berth:, git clone lab.berth:repo'],
  ],
  prepare: async (ctx, { install, uninstall }): Promise<Change | undefined> => {
    if (install && uninstall) throw usage('--install and --uninstall exclude each other', 'Keep one.');
    if (!install && !uninstall) return undefined;
    const folder = sshFolder(ctx);
    const before = await readConfig(ctx, `${folder}/config`);
    return { folder, before, after: install ? withInclude(before, LINE) : withoutInclude(before, LINE) };
  },
  confirmWhen: ({ install, uninstall }) => install || uninstall,
  confirm: (_ctx, { install }, change) =>
    Promise.resolve(
      change === undefined || change.before === change.after
        ? undefined
        : {
            lines: [
              `${change.folder}/config changes by one line:`,
              `${install ? '+' : '-'} ${LINE}`,
              `${change.folder}/${FILE} is ${install ? 'written' : 'removed'}.`,
            ],
          },
    ),
  run: async (ctx, { install }, change) => {
    const { spawn, settings } = ctx;
    const { account, addresses } = settings.accountWords;
    const text = sshConfigText([...spawn.self, ...account, ...addresses], await spawn.knownHosts(), ctx.platform);
    if (change === undefined) return textResult(ctx, { config: text }, text);
    const { folder, before, after } = change;
    const durable = await ctx.durable();
    if (install) await ctx.files.write(`${folder}/${FILE}`, text, { mode: 0o600, makeParents: true });
    const config = `${folder}/config`;
    // The file is empty otherwise: removed, unless it is a link, which is the user's.
    const isLeft = after === '' && (await durable.lookAt(config))?.kind === 'file';
    if (after !== before && isLeft) await durable.remove(config);
    else if (after !== before) {
      const mode = (await ctx.files.mode(config)) ?? 0o600;
      await ctx.files.write(config, after, { mode });
    }
    if (!install && (await durable.size(`${folder}/${FILE}`)) !== undefined) await durable.remove(`${folder}/${FILE}`);
    const notes = install ? installed(ctx, change) : ['ssh knows no NAME.berth any more.'];
    return changeResult(ctx, { installed: install, file: `${folder}/${FILE}` }, notes);
  },
});

function installed(ctx: CommandContext, { folder, before, after }: Change): readonly Message[] {
  const home = ctx.spawn.accountHome();
  return [
    ...(before === after ? [`${folder}/config includes it already: it was not changed.`] : []),
    ...(home === undefined || home.replace(/\/+$/, '') === (homeOfSsh(ctx) ?? '').replace(/\/+$/, '')
      ? []
      : [
          `ssh reads ${home}/.ssh/config, whatever HOME says. Add this at its top: ${includeLine(quotedPath(`${folder}/${FILE}`))}`,
        ]),
    sentence`Pods are reached as NAME.berth: ssh NAME.berth. Names: ${berth`pods list`}`,
  ];
}

function sshFolder(ctx: CommandContext): string {
  const home = homeOfSsh(ctx);
  if (home === undefined)
    throw usage(
      'there is no home folder, so no ~/.ssh/config',
      sentence`Put this where ssh reads it: ${berth`pods ssh-config`}`,
    );
  return `${home}/.ssh`;
}

/** Empty if missing. Local-file (14) if a change could not keep it byte for byte. */
async function readConfig(ctx: CommandContext, path: string): Promise<string> {
  const durable = await ctx.durable();
  if ((await durable.size(path)) === undefined) return '';
  const bytes = await ctx.files.read(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw localFile(`${path} is not UTF-8, so it is left as it is`, `Add this line at its top yourself: ${LINE}`);
  }
}
