/** Which keys ssh would offer to a pod, and which of them it takes; without a connection. */
import { run } from '../../cli/hint.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words.ts';
import { unlessFailed } from '../../core/failure.ts';
import { type Json, objectAt, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { isSameKey, readKey, type SshKey } from '../account/keys.ts';
import { readKeys } from '../account/ssh-keys.ts';
import { directSsh, statusOf } from './reachable.ts';
import { addressArguments, homeOfSsh, sshAddress } from './ssh-command.ts';

interface Offered {
  /** A path, or `agent`. */
  readonly from: string;
  readonly key: SshKey;
}

interface KeysExplained {
  readonly lines: readonly string[];
  readonly notes: readonly Message[];
}

const AGENT = 'agent';

/** Fails as reading the account's keys. */
export async function explainKeys(ctx: CommandContext, pod: Json, id: string): Promise<KeysExplained> {
  const own = stringAt(pod, 'env.SSH_PUBLIC_KEY');
  const taken = own === undefined ? await readKeys(ctx) : keysIn(own);
  const offered = await offeredKeys(ctx, pod, id);
  const isIn = (keys: readonly SshKey[], key: SshKey): boolean => keys.some((each) => isSameKey(each, key));
  const fitting = offered.map(({ key }) => key).filter((key) => isIn(taken, key));
  const atStart = keysIn(stringAt(pod, 'env.PUBLIC_KEY') ?? '');
  const isLate = statusOf(pod) === 'RUNNING' && !fitting.some((key) => isIn(atStart, key));
  const whose = own === undefined ? 'account' : 'pod (SSH_PUBLIC_KEY)';
  return {
    lines: [
      `Keys of the ${whose}: ${taken.length}. ssh would offer ${countOf(offered.length, 'key')}:`,
      ...offered.map(({ from, key }) => {
        const parts = [key.fingerprint, key.comment === '' ? key.type : key.comment, from];
        return `  ${isIn(taken, key) ? 'fits ' : 'other'}  ${safeText(parts.join('  '))}`;
      }),
    ],
    notes:
      own === undefined
        ? [
            fitting.length > 0 ? 'A key fits.' : addKey(offered),
            ...(isLate
              ? [
                  sentence`Still refused? Restart the pod (erases its container disk): ${berth`pods restart ${id} --wait`}`,
                ]
              : []),
          ]
        : [fitting.length > 0 ? 'A key fits.' : 'No key fits. Add a key of SSH_PUBLIC_KEY to your agent (ssh-add).'],
  };
}

const keysIn = (text: string): readonly SshKey[] =>
  text
    .split(/\r?\n/)
    .map(readKey)
    .filter(({ fingerprint }) => fingerprint !== '');

/** Of a file, rather than of the agent. A comment that a terminal would not show as it is, is left out. */
function addKey(offered: readonly Offered[]): Message {
  const { from, key } = offered.find((each) => each.from !== AGENT) ?? offered[0] ?? {};
  if (key === undefined)
    return sentence`No key fits. Run ssh-keygen -t ed25519, then ${berth`account ssh-keys add`} "$(cat ~/.ssh/id_ed25519.pub)"`;
  const line = /^[\x20-\x7e]+$/.test(key.comment) ? key.text : key.text.split(' ').slice(0, 2).join(' ');
  return sentence`No key fits. ${run(berth`account ssh-keys add ${from === AGENT ? line : `@${from ?? ''}`}`)}`;
}

/** By the settings that ssh prints for the pod; none if it prints nothing. */
async function offeredKeys(ctx: CommandContext, pod: Json, id: string): Promise<readonly Offered[]> {
  const address = directSsh(pod) ?? objectAt(pod, 'ssh.proxy');
  const at = address === undefined ? ['root@pod'] : addressArguments(sshAddress(address, id));
  const settings = (await printedBy(ctx, 'ssh', ['-G', ...at])).split(/\r?\n/);
  const valuesOf = (name: string): readonly string[] =>
    settings.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const home = ctx.spawn.accountHome() ?? homeOfSsh(ctx) ?? '~';
  const files: Offered[] = [];
  for (const file of valuesOf('identityfile')) {
    const from = `${file.replace(/^"|"$/g, '').replace(/^~(?=[/\\])/, () => home)}.pub`;
    const bytes = await unlessFailed(ctx, () => ctx.files.read(from));
    for (const key of keysIn(new TextDecoder().decode(bytes).trim())) files.push({ from, key });
  }
  // Another agent than the environment's cannot be asked.
  const hasOtherAgent = valuesOf('identityagent').some((agent) => agent !== 'SSH_AUTH_SOCK');
  const agent = hasOtherAgent ? [] : keysIn(await printedBy(ctx, 'ssh-add', ['-L']));
  const onlyNamed = valuesOf('identitiesonly').includes('yes');
  const named = agent.filter((key) => !onlyNamed || files.some((each) => isSameKey(each.key, key)));
  return [...named.map((key) => ({ from: AGENT, key })), ...files];
}

/** Empty if the program is missing or fails. */
async function printedBy(ctx: CommandContext, command: string, args: readonly string[]): Promise<string> {
  const chunks: Uint8Array[] = [];
  const streams = { onOutput: (bytes: Uint8Array) => void chunks.push(bytes), onError: () => undefined };
  const program = await unlessFailed(ctx, () => ctx.spawn.start(command, args, streams));
  return (await program?.ended) === 0 ? Buffer.concat(chunks).toString() : '';
}
