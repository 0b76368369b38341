import { run as runLine } from '../../cli/hint.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { either, manyOf, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { idArgument } from '../../cli/resource/read.ts';
import { textResult } from '../../cli/resource/change-result.ts';
import { objectAt } from '../../core/json.ts';
import { berth, sentence, shellWord } from '../../core/message.ts';
import { LOOPBACK, noServer, notReachable, readPod, startOf } from './reach-pod.ts';
import { directSsh } from './reachable.ts';
import { PODS } from './resource.ts';
import { addressArguments, runSsh, SSH_FAILED, sshAddress, trustOptions } from './ssh-command.ts';
import { START, startFirst } from './start-first.ts';

export const ssh = defineCommand({
  output: either(ownObject({ command: TEXT }), ownObject({ lines: manyOf(TEXT) })),
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
    start: START,
  },
  examples: [
    ['berth pods ssh train-llm', 'an interactive shell'],
    ['berth pods ssh train-llm -- nvidia-smi', 'run one command'],
    ['berth pods ssh train-llm -- -L 8888:localhost:8888', 'a shell with a tunnel'],
    ['berth pods ssh train-llm --print', 'the command, to be used elsewhere'],
    ['berth pods ssh train-llm --explain', 'why it lets you in, or not'],
  ],
  run: async (ctx, { id: word, more, proxy, print, explain, start }) => {
    let found = await readPod(ctx, word);
    if (start) {
      await startFirst(ctx, found.pod, found.id);
      found = await readPod(ctx, word);
    }
    const { id, pod, isLocal } = found;
    if (explain) {
      const { explainKeys } = await import('./explain-keys.ts');
      const { lines, notes } = await explainKeys(ctx, pod, id);
      return textResult(ctx, { lines }, lines.join('\n'), notes);
    }
    const direct = proxy ? undefined : directSsh(pod);
    const given = direct ?? objectAt(pod, 'ssh.proxy');
    if (given === undefined) throw notReachable(pod, id);
    const address = sshAddress(given, id);
    const args = [...addressArguments(address), ...more];
    if (print) {
      const command = ['ssh', ...args].map((each) => (/^-\w+$/.test(each) ? each : shellWord(each))).join(' ');
      return textResult(ctx, { command }, command, ctx.settings.local ? [ENDS_WITH_COMMAND] : []);
    }
    if (isLocal && address.host !== LOOPBACK) throw noServer(id);
    // The proxy is one host for all pods; its one key is in the user's own file.
    const trust = direct === undefined ? [] : trustOptions({ id, start: startOf(pod) }, await ctx.spawn.knownHosts());
    const code = await runSsh(ctx, [...trust, ...args], { tty: true });
    const notes = code === SSH_FAILED ? [sentence`Key refused? ${runLine(berth`pods ssh ${id} --explain`)}`] : [];
    return { kind: 'program', code, notes };
  },
});

const ENDS_WITH_COMMAND = sentence`Without a running service (${berth`local serve`}) the SSH server of this pod ends with this command.`;
