/** Which keys ssh would offer to a pod, and which of them it takes; without a connection. */
import { run } from '../../cli/hint.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words.ts';
import { unlessFailed } from '../../core/failure.ts';
import { type Json, objectAt, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { isSameKey, readKey, readKeys, type SshKey } from '../account/ssh-keys.ts';
import { directSsh, statusOf } from './reachable.ts';
import { addressArguments, homeOfSsh, sshAddress } from './ssh-command.ts';

/** Fails as reading the account's keys. */
export async function explainKeys(
  ctx: CommandContext,
  pod: Json,
  id: string,
): Promise<{ readonly lines: readonly string[]; readonly notes: readonly Message[] }> {
  const own = stringAt(pod, 'env.SSH_PUBLIC_KEY');
  const taken = own === undefined ? await readKeys(ctx) : keysIn(own);
  const offered = await offeredKeys(ctx, pod, id);
  const isIn = (keys: readonly SshKey[], key: SshKey): boolean => keys.some((each) => isSameKey(each, key));
  const fitting = offered.filter(({ key }) => isIn(taken, key));
  const atStart = keysIn(stringAt(pod, 'env.PUBLIC_KEY') ?? '');
  const isLate = own === undefined && statusOf(pod) === 'RUNNING' && !fitting.some(({ key }) => isIn(atStart, key));
  const restart = sentence`Still refused? Restart the pod (erases its container disk): ${berth`pods restart ${id} --wait`}`;
  const file = offered.find(({ from }) => from !== AGENT)?.from;
  const none =
    own !== undefined
      ? 'No key fits. Add a key of SSH_PUBLIC_KEY to your agent (ssh-add).'
      : file === undefined
        ? sentence`No key fits. Run ssh-keygen -t ed25519, then ${berth`account ssh-keys add ~/.ssh/id_ed25519.pub`}`
        : sentence`No key fits. ${run(berth`account ssh-keys add ${file}`)}`;
  return {
    lines: [
      `Keys of the ${own === undefined ? 'account' : 'pod (SSH_PUBLIC_KEY)'}: ${taken.length}. ssh would offer ${countOf(offered.length, 'key')}:`,
      ...offered.map(({ from, key }) => {
        const parts = [key.fingerprint, key.comment === '' ? key.type : key.comment, from];
        return `  ${isIn(taken, key) ? 'fits ' : 'other'}  ${safeText(parts.join('  '))}`;
      }),
    ],
    notes: [fitting.length > 0 ? 'A key fits.' : none, ...(isLate ? [restart] : [])],
  };
}

const keysIn = (text: string): readonly SshKey[] =>
  text
    .split(/\r?\n/)
    .map(readKey)
    .filter(({ fingerprint }) => fingerprint !== '');

const AGENT = 'agent';

/** Of the agent, and of the files that ssh names for the pod. */
async function offeredKeys(
  ctx: CommandContext,
  pod: Json,
  id: string,
): Promise<readonly { readonly from: string; readonly key: SshKey }[]> {
  const address = directSsh(pod) ?? objectAt(pod, 'ssh.proxy');
  const at = address === undefined ? ['root@pod'] : addressArguments(sshAddress(address, id));
  const settings = await printedBy(ctx, 'ssh', ['-G', ...at]);
  const home = ctx.spawn.accountHome() ?? homeOfSsh(ctx) ?? '~';
  const agent = keysIn(await printedBy(ctx, 'ssh-add', ['-L'])).map((key) => ({ from: AGENT, key }));
  const files = [...settings.matchAll(/^identityfile "?(.*?)"?$/gm)].map(async ([, file = '']) => {
    const from = `${file.replace(/^~(?=[/\\])/, () => home)}.pub`;
    const bytes = await unlessFailed(ctx, () => ctx.files.read(from));
    return keysIn(new TextDecoder().decode(bytes).trim()).map((key) => ({ from, key }));
  });
  return [...agent, ...(await Promise.all(files)).flat()];
}

/** Empty if the program is missing or fails. */
async function printedBy(ctx: CommandContext, command: string, args: readonly string[]): Promise<string> {
  const chunks: Uint8Array[] = [];
  const streams = { onOutput: (bytes: Uint8Array) => void chunks.push(bytes), onError: () => undefined };
  const program = await unlessFailed(ctx, () => ctx.spawn.start(command, args, streams));
  return (await program?.ended) === 0 ? Buffer.concat(chunks).toString().replaceAll('\r\n', '\n') : '';
}
