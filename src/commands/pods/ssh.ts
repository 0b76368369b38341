import { run } from '../../cli/hint.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { either, manyOf, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { idArgument } from '../../cli/resource/arguments.ts';
import { changeResult } from '../../cli/resource/fields.ts';
import { objectAt, type Json, stringAt } from '../../core/json.ts';
import { berth, sentence, shellWord } from '../../core/message.ts';
import { LOOPBACK, noServer, notReachable, publishesSsh, readPod, runSsh, SSH_FAILED, startOf } from './reach-pod.ts';
import { addressArguments, homeOfSsh, sshAddress, trustOptions } from './ssh-options.ts';
import { directSsh, statusOf } from './reachable.ts';
import { PODS } from './fields.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words.ts';
import { unlessFailed } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import { isSameKey, readKey, readKeys, type SshKey } from '../account/ssh-keys.ts';

export const ssh = defineCommand({
  output: () => either(ownObject({ command: TEXT }), ownObject({ lines: manyOf(TEXT) })),
  summary: 'open a shell in a pod, or run a command there, with your ssh',
  changesMachine: true,
  exitsAsProgram: true,
  details:
    'Takes the direct address where the pod has one, else the proxy, which gives an interactive shell and nothing else. What stands after -- goes to ssh as it is. The exit code is that of ssh.',
  args: {
    id: idArgument(PODS),
    more: arg.any('options of ssh, or a command to run in the pod', { metavar: 'ARGS' }),
  },
  options: {
    proxy: option.on('by way of the proxy, even where there is a direct address'),
    print: option.on('print the ssh command and run nothing'),
    explain: option.on('show which keys would be tried and which fit; connect nothing'),
  },
  examples: [
    ['berth pods ssh train-llm', 'an interactive shell'],
    ['berth pods ssh train-llm -- nvidia-smi', 'run one command'],
    ['berth pods ssh train-llm -- -L 8888:localhost:8888', 'a shell with a tunnel'],
    ['berth pods ssh train-llm --print', 'the command, to be used elsewhere'],
    ['berth pods ssh train-llm --explain', 'why it lets you in, or not'],
  ],
  run: async (ctx, { id: word, more, proxy, print, explain }) => {
    const { id, pod, isLocal } = await readPod(ctx, word);
    const direct = proxy ? undefined : directSsh(pod);
    const given = direct ?? objectAt(pod, 'ssh.proxy');
    if (explain && (given !== undefined || publishesSsh(pod))) {
      const { lines, notes } = await explainKeys(ctx, pod, id);
      return changeResult(ctx, { lines }, notes, lines.join('\n'));
    }
    if (given === undefined) throw notReachable(pod, id);
    const address = sshAddress(given, id);
    const args = [...addressArguments(address), ...more];
    if (print) {
      const command = ['ssh', ...args].map((each) => (/^-\w+$/.test(each) ? each : shellWord(each))).join(' ');
      return changeResult(ctx, { command }, [], command);
    }
    if (isLocal && address.host !== LOOPBACK) throw noServer(id);
    // The proxy is one host for all pods; its one key is in the user's own file.
    const trust = direct === undefined ? [] : trustOptions({ id, start: startOf(pod) }, await ctx.spawn.knownHosts());
    const code = await runSsh(ctx, [...trust, ...args], true);
    const notes = code === SSH_FAILED ? [sentence`Key refused? ${run(berth`pods ssh ${id} --explain`)}`] : [];
    return { kind: 'program', code, notes };
  },
});

/** Fails as reading the account's keys. */
async function explainKeys(ctx: CommandContext, pod: Json, id: string) {
  const own = stringAt(pod, 'env.SSH_PUBLIC_KEY');
  const taken = own === undefined ? await readKeys(ctx) : keysIn(own);
  const offered = await offeredKeys(ctx, pod, id);
  const fits = (key: SshKey): boolean => taken.some((each) => isSameKey(each, key));
  const restart = sentence`Still refused? Restart the pod (erases its container disk): ${berth`pods restart ${id} --wait`}`;
  return {
    lines: [
      `Keys of the ${own === undefined ? 'account' : 'pod (SSH_PUBLIC_KEY)'}: ${taken.length}. ssh would offer ${countOf(offered.length, 'key')}:`,
      ...offered.map(({ from, key }) => {
        const parts = [key.fingerprint, key.comment === '' ? key.type : key.comment, from];
        return `  ${fits(key) ? 'fits ' : 'other'}  ${safeText(parts.join('  '))}`;
      }),
    ],
    notes: [
      offered.some(({ key }) => fits(key)) ? 'A key fits.' : sentence`No key fits. ${run(berth`account ssh-keys add`)}`,
      ...(statusOf(pod) === 'RUNNING' && own === undefined ? [restart] : []),
    ],
  };
}

const keysIn = (text: string): readonly SshKey[] =>
  text
    .split(/\r?\n/)
    .map(readKey)
    .filter(({ fingerprint }) => fingerprint !== '');

/** Of the agent, and of the files that ssh names for the pod. */
async function offeredKeys(ctx: CommandContext, pod: Json, id: string) {
  const address = directSsh(pod) ?? objectAt(pod, 'ssh.proxy');
  const at = address === undefined ? ['root@pod'] : addressArguments(sshAddress(address, id));
  const settings = await printedBy(ctx, 'ssh', ['-G', ...at]);
  const home = ctx.spawn.accountHome() ?? homeOfSsh(ctx) ?? '~';
  const agent = keysIn(await printedBy(ctx, 'ssh-add', ['-L'])).map((key) => ({ from: 'agent', key }));
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
