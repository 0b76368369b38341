import type { CommandContext } from '../../cli/model/context.ts';
import { isSameKey, readKey, type SshKey } from '../account/keys.ts';
import { readKeys } from '../account/ssh-keys.ts';
import { directSsh, statusOf } from './reachable.ts';
import { addressArguments, homeOfSsh, sshAddress } from './ssh-command.ts';
import { unlessFailed } from '../../core/failure.ts';
import { type Json, objectAt, objectOf, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';

interface Offered {
  readonly from: string;
  readonly key: SshKey;
}

interface KeysExplained {
  readonly lines: readonly string[];
  readonly notes: readonly Message[];
}

/** From the agent and configured files, without connecting. Fails as reading the account's keys. */
export async function explainKeys(ctx: CommandContext, pod: Json, word: string): Promise<KeysExplained> {
  const id = stringAt(pod, 'id') ?? word;
  const own = stringAt(objectAt(pod, 'env'), 'SSH_PUBLIC_KEY');
  const opening = own === undefined ? await readKeys(ctx) : own.split('\n').filter(Boolean).map(readKey);
  const settings = await sshSettings(ctx, pod, id);
  const named = await keysOfFiles(ctx, settings.files);
  const inAgent = await keysOfAgent(ctx, settings.agent);
  const isNamed = (key: SshKey): boolean => named.some((each) => isSameKey(each.key, key));
  const offered = [...inAgent.filter(({ key }) => !settings.onlyNamed || isNamed(key)), ...named];
  const opens = (key: SshKey): boolean => opening.some((each) => isSameKey(each, key));
  const lines = [
    own === undefined
      ? `The account has ${keyCount(opening.length)}; a pod gets those that are there when it starts.`
      : `The pod has ${keyCount(opening.length)} of its own (SSH_PUBLIC_KEY), in place of those of the account.`,
    offered.length === 0
      ? 'ssh would offer no key: the agent has none, and there is none at the paths of its configuration.'
      : 'ssh would offer, in this order:',
    ...offered.map(
      ({ from, key }) =>
        `  ${opens(key) ? 'fits ' : 'other'}  ${safeText([key.fingerprint, key.comment === '' ? key.type : key.comment, from].join('  '))}`,
    ),
  ];
  return { lines, notes: notesOf(pod, id, offered, opens, own !== undefined) };
}

const keyCount = (count: number): string => (count === 1 ? '1 key' : `${count === 0 ? 'no' : String(count)} keys`);

function notesOf(
  pod: Json,
  id: string,
  offered: readonly Offered[],
  opens: (key: SshKey) => boolean,
  hasOwn: boolean,
): readonly Message[] {
  const running = statusOf(pod) === 'RUNNING';
  const restart = sentence`${berth`pods restart ${id} --wait`}, which wipes its container disk`;
  const atStart = (stringAt(objectAt(pod, 'env'), 'PUBLIC_KEY') ?? '').split('\n').map(readKey);
  if (running && !hasOwn && offered.some(({ key }) => opens(key) && atStart.some((each) => isSameKey(each, key))))
    return ['A key fits, and the pod has had it since it was started.'];
  if (offered.some(({ key }) => opens(key)))
    return running && !hasOwn
      ? [
          sentence`A key fits. If the pod refuses it, the key was added after the pod had started; it opens the pod after ${restart}.`,
        ]
      : ['A key fits.'];
  if (hasOwn)
    return [
      'No key fits: the pod takes only the keys of its variable SSH_PUBLIC_KEY. Put the private half of one into your agent (ssh-add).',
    ];
  const [first] = [...offered.filter(({ from }) => from !== AGENT), ...offered];
  const add =
    first === undefined
      ? sentence`No key fits. Make one with ssh-keygen -t ed25519, then add it: ${berth`account ssh-keys add`} "$(cat ~/.ssh/id_ed25519.pub)"`
      : sentence`No key fits. Add one that ssh offers: ${berth`account ssh-keys add ${first.from === AGENT ? lineOf(first.key) : `@${first.from}`}`}`;
  return [
    add,
    ...(running
      ? [
          sentence`The pod runs, so the key opens it only after ${restart}. Without a restart: add the line of the key to ~/.ssh/authorized_keys in the pod, by a way that is open now (${berth`pods ssh ${id} --proxy`}, or a notebook).`,
        ]
      : []),
  ];
}

const AGENT = 'agent';

/** Drops a comment that a terminal would not show as it is. */
function lineOf({ text, comment }: SshKey): string {
  const [type = '', body = ''] = text.split(' ');
  return /^[\x20-\x7e]+$/.test(comment) ? `${type} ${body} ${comment}` : `${type} ${body}`;
}

interface SshSettings {
  readonly files: readonly string[];
  /** The socket of another agent than the environment's; `none` disables it. */
  readonly agent: string | undefined;
  readonly onlyNamed: boolean;
}

/** Empty if ssh does not print its settings. */
async function sshSettings(ctx: CommandContext, pod: Json, id: string): Promise<SshSettings> {
  const address = directSsh(pod) ?? objectOf(objectAt(pod, 'ssh')?.['proxy']);
  const at = address === undefined ? ['root@pod'] : addressArguments(sshAddress(address, id));
  const lines = ((await printedBy(ctx, 'ssh', ['-G', ...at])) ?? '').split(/\r?\n/);
  const valuesOf = (name: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const [agent] = valuesOf('identityagent');
  return {
    files: valuesOf('identityfile'),
    agent: agent === 'SSH_AUTH_SOCK' ? undefined : agent,
    onlyNamed: valuesOf('identitiesonly').includes('yes'),
  };
}

async function keysOfFiles(ctx: CommandContext, files: readonly string[]): Promise<readonly Offered[]> {
  const home = ctx.spawn.accountHome() ?? homeOfSsh(ctx) ?? '~';
  const durable = await ctx.durable();
  const found: Offered[] = [];
  for (const file of files) {
    const path = `${file.replace(/^"|"$/g, '').replace(/^~(?=[/\\])/, () => home)}.pub`;
    const bytes = (await durable.size(path)) === undefined ? undefined : await ctx.files.read(path);
    if (bytes !== undefined) found.push({ from: path, key: readKey(new TextDecoder().decode(bytes).trim()) });
  }
  return found.filter(({ key }) => key.fingerprint !== '');
}

async function keysOfAgent(ctx: CommandContext, agent: string | undefined): Promise<readonly Offered[]> {
  if (agent !== undefined) return [];
  const text = (await printedBy(ctx, 'ssh-add', ['-L'])) ?? '';
  return text
    .split(/\r?\n/)
    .map(readKey)
    .filter(({ fingerprint }) => fingerprint !== '')
    .map((key) => ({ from: AGENT, key }));
}

/** Undefined if the program is missing or fails. */
async function printedBy(ctx: CommandContext, command: string, args: readonly string[]): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  const streams = { onOutput: (bytes: Uint8Array) => void chunks.push(bytes), onError: () => undefined };
  const program = await unlessFailed(ctx, () => ctx.spawn.start(command, args, streams));
  return (await program?.ended) === 0 ? Buffer.concat(chunks).toString() : undefined;
}
