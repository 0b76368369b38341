import { berth, flags, sentence, shellWord } from '../../core/message.ts';
import { type Failure, usage } from '../../core/failure.ts';
import { type Json, objectAt, objectOf, stringAt } from '../../core/json.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { either, manyOf, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { textResult } from '../../cli/resource/change-result.ts';
import { readRow } from '../../cli/resource/identify.ts';
import { arg, option } from '../../cli/model/params.ts';
import { isLocalService } from '../../cli/model/context.ts';
import { directSsh, isReachable, statusOf } from './reachable.ts';
import { LOOPBACK, notReachable, publishesSsh, startOf, stateNow, trustOptions } from './reach-pod.ts';
import { addressArguments, runSsh, SSH_FAILED, sshAddress } from './ssh-command.ts';
import { START, startFirst } from './start-first.ts';
import { explainKeys } from './explain-keys.ts';
import { PODS } from './resource.ts';
import { idArgument } from '../../cli/resource/read.ts';

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
  run: async (ctx, { id, more, proxy, print, explain, start }) => {
    await ctx.openLocalPods();
    const read = async () => (await readRow(ctx, PODS, id)).answer;
    let answer = await read();
    if (start) {
      await startFirst(ctx, answer.value ?? null, id);
      answer = await read();
    }
    const pod = answer.value ?? null;
    if (explain) {
      const { lines, notes } = await explainKeys(ctx, pod, id);
      return textResult(ctx, { lines }, lines.join('\n'), notes);
    }
    const address = sshAddress(addressOf(pod, id, proxy), id);
    const args = [...addressArguments(address), ...more];
    if (print) {
      const command = ['ssh', ...args].map(wordOf).join(' ');
      return textResult(ctx, { command }, command, ctx.settings.local ? [ENDS_WITH_COMMAND] : []);
    }
    if (isLocalService(answer) && address.host !== LOOPBACK)
      throw proxy || publishesSsh(pod) ? noContainer(id, ctx.settings.local) : notReachable(pod, id);
    // The proxy is one host for all pods; its one key is in the user's own file.
    const trust =
      proxy || directSsh(pod) === undefined ? [] : trustOptions(startOf(pod, id), await ctx.spawn.knownHosts());
    const code = await runSsh(ctx, [...trust, ...args], { tty: true });
    const notes = code === SSH_FAILED ? await stateNow(ctx, startOf(pod, id)) : [];
    return { kind: 'program', code, notes };
  },
});

const ENDS_WITH_COMMAND = sentence`The server of this pod ends with this command. To enter it: leave out --print, or keep the service running with ${berth`local serve`}`;

/** Such an address is unused: ssh would wait until its own timeout. */
const noContainer = (id: string, local: boolean): Failure =>
  usage(
    `${id} of the local service has no SSH server, so no shell can be opened in it`,
    sentence`See the ssh command of a pod like this: ${berth`${flags(local ? ['--local'] : [])} pods ssh ${id} --print`}`,
  );

const wordOf = (word: string): string => (/^-\w+$/.test(word) ? word : shellWord(word));

/** Direct if available and without `--proxy` (contract rules, Pods: ssh). */
function addressOf(pod: Json, id: string, proxy: boolean): Json {
  const ssh = objectAt(pod, 'ssh');
  const byProxy = objectOf(ssh?.['proxy']);
  const found = proxy ? byProxy : (directSsh(pod) ?? byProxy);
  if (found !== undefined) return found;
  throw noAddress(pod, stringAt(pod, 'id') ?? id, proxy);
}

function noAddress(pod: Json, id: string, proxy: boolean): Failure {
  const status = statusOf(pod);
  const message = `pod ${id} has no ${proxy ? 'proxy address for ssh' : 'ssh address'}: it is ${status}`;
  if (status === 'RUNNING' && !isReachable(pod))
    return usage(message, sentence`Wait until it can be reached: ${berth`pods wait ${id}`}`);
  switch (status) {
    case 'PROVISIONING':
    case 'STARTING':
      return usage(message, sentence`Wait until it runs: ${berth`pods wait ${id}`}`);
    case 'ERROR':
      return usage(message, sentence`Why, and what ends its cost: ${berth`pods explain ${id}`}`);
    case 'EXITED':
      return usage(message, sentence`Add --start, or start it first: ${berth`pods start ${id} --wait`}`);
    case 'TERMINATED':
      return usage(message, sentence`It is gone for good. Other pods: ${berth`pods list`}`);
    default:
      return usage(
        `${message}, and its service names none`,
        'A pod takes SSH when it was created with --start-ssh; directly, when it also publishes --port 22/tcp.',
      );
  }
}
