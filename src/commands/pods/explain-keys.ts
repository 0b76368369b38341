import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words.ts';
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
  const opening = own === undefined ? await readKeys(ctx) : keysIn(own);
  const offered = await offeredKeys(ctx, pod, id);
  const fits = (key: SshKey): boolean => opening.some((each) => isSameKey(each, key));
  const lines = [
    own === undefined
      ? `The account has ${countOf(opening.length, 'key')}; a pod gets them when it starts.`
      : `The pod has ${countOf(opening.length, 'key')} of its own (SSH_PUBLIC_KEY), in place of those of the account.`,
    offered.length === 0 ? 'ssh would offer no key.' : 'ssh would offer, in this order:',
    ...offered.map(
      ({ from, key }) =>
        `  ${fits(key) ? 'fits ' : 'other'}  ${safeText([key.fingerprint, key.comment === '' ? key.type : key.comment, from].join('  '))}`,
    ),
  ];
  const fitting = offered.map(({ key }) => key).filter(fits);
  const isLate =
    own === undefined &&
    statusOf(pod) === 'RUNNING' &&
    !keysIn(stringAt(objectAt(pod, 'env'), 'PUBLIC_KEY') ?? '').some((key) =>
      fitting.some((each) => isSameKey(each, key)),
    );
  const restart = sentence`If the pod refuses it, restart it (erases its container disk): ${berth`pods restart ${id} --wait`}`;
  const first =
    fitting.length > 0
      ? 'A key fits.'
      : own === undefined
        ? addKey(offered)
        : 'No key fits. The pod takes only the keys of SSH_PUBLIC_KEY: add one of them to your agent (ssh-add).';
  return { lines, notes: [first, ...(isLate ? [restart] : [])] };
}

const keysIn = (text: string): readonly SshKey[] => text.split('\n').filter(Boolean).map(readKey);

/** Of a file, rather than of the agent. */
function addKey(offered: readonly Offered[]): Message {
  const { from, key } = offered.find(({ from: place }) => place !== AGENT) ?? offered[0] ?? {};
  return key === undefined
    ? sentence`No key fits. Make one with ssh-keygen -t ed25519, then add it: ${berth`account ssh-keys add`} "$(cat ~/.ssh/id_ed25519.pub)"`
    : sentence`No key fits. Add one that ssh offers: ${berth`account ssh-keys add ${from === AGENT ? lineOf(key) : `@${from ?? ''}`}`}`;
}

const AGENT = 'agent';

/** Drops a comment that a terminal would not show as it is. */
function lineOf({ text, comment }: SshKey): string {
  const [type = '', body = ''] = text.split(' ');
  return /^[\x20-\x7e]+$/.test(comment) ? `${type} ${body} ${comment}` : `${type} ${body}`;
}

/** By the settings that ssh prints for the pod; none if it prints nothing. */
async function offeredKeys(ctx: CommandContext, pod: Json, id: string): Promise<readonly Offered[]> {
  const address = directSsh(pod) ?? objectOf(objectAt(pod, 'ssh')?.['proxy']);
  const at = address === undefined ? ['root@pod'] : addressArguments(sshAddress(address, id));
  const lines = ((await printedBy(ctx, 'ssh', ['-G', ...at])) ?? '').split(/\r?\n/);
  const valuesOf = (name: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const files = await keysOfFiles(ctx, valuesOf('identityfile'));
  // Another agent than the environment's cannot be asked.
  const hasOtherAgent = valuesOf('identityagent').some((agent) => agent !== 'SSH_AUTH_SOCK');
  const listed = hasOtherAgent ? undefined : await printedBy(ctx, 'ssh-add', ['-L']);
  const agent = (listed ?? '')
    .split(/\r?\n/)
    .map(readKey)
    .filter(({ fingerprint }) => fingerprint !== '');
  const onlyNamed = valuesOf('identitiesonly').includes('yes');
  const isOffered = (key: SshKey): boolean => !onlyNamed || files.some((each) => isSameKey(each.key, key));
  return [...agent.filter(isOffered).map((key) => ({ from: AGENT, key })), ...files];
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

/** Undefined if the program is missing or fails. */
async function printedBy(ctx: CommandContext, command: string, args: readonly string[]): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  const streams = { onOutput: (bytes: Uint8Array) => void chunks.push(bytes), onError: () => undefined };
  const program = await unlessFailed(ctx, () => ctx.spawn.start(command, args, streams));
  return (await program?.ended) === 0 ? Buffer.concat(chunks).toString() : undefined;
}
