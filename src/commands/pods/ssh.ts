import { berth, flags, sentence } from '../../core/message.ts';
import { usage, type Failure } from '../../core/failure.ts';
import { type Json, objectAt, objectOf, stringAt } from '../../core/json.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { either, manyOf, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { textResult } from '../../cli/resource/change-result.ts';
import { readRow } from '../../cli/resource/identity/identify.ts';
import { arg, option } from '../../cli/model/params.ts';
import { shellWord } from '../../core/shell-word.ts';
import { isLocalService } from '../shared/is-local-service.ts';
import { directSsh, isReachable, statusOf } from './pod/reachable.ts';
import { LOOPBACK, notReachable, publishesSsh, startOf } from './reach/reach-pod.ts';
import { addressArguments, sshAddress } from './reach/ssh-address.ts';
import { runSsh, SSH_FAILED } from './reach/run-ssh.ts';
import { stateNow } from './reach/state-now.ts';
import { START, startFirst } from './reach/start-first.ts';
import { explainKeys } from './reach/explain-keys.ts';
import { trustOptions } from './reach/host-trust.ts';
import { PODS } from './pod/resource.ts';
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
    explain: option.on('say which keys would be tried and which of them fit, and run nothing'),
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
    // The proxy is one host for all pods, with one key that the user's own file keeps.
    const trust =
      proxy || directSsh(pod) === undefined ? [] : trustOptions(startOf(pod, id), await ctx.spawn.knownHosts());
    const code = await runSsh(ctx, [...trust, ...args], { tty: true });
    const notes = code === SSH_FAILED ? await stateNow(ctx, startOf(pod, id)) : [];
    return { kind: 'program', code, notes };
  },
});

/** With --local, the service runs in this process. */
const ENDS_WITH_COMMAND = sentence`The server of this pod ends with this command. To enter it: leave out --print, or keep the service running with ${berth`local serve`}`;

/** The address of such a pod belongs to nobody: ssh would wait for an answer until its own timeout. */
const noContainer = (id: string, local: boolean): Failure =>
  usage(
    `${id} of the local service has no SSH server, so no shell can be opened in it`,
    sentence`See the ssh command of a pod like this: ${berth`${flags(local ? ['--local'] : [])} pods ssh ${id} --print`}`,
  );

/** Quotes an argument of the printed command where a shell needs it; options are left as they are. */
const wordOf = (word: string): string => (/^-\w+$/.test(word) ? word : shellWord(word));

/** The direct address where there is one and `--proxy` is not given, else the proxy (contract rules, Pods: ssh). */
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
