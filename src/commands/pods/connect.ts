import { arg } from '../../cli/model/params.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { HOST_SUFFIX } from './reach/ssh-config-text.ts';
import { reachPod } from './reach/reach-pod.ts';
import { rememberStart } from './reach/host-key-file.ts';
import { PODS } from './pod/resource.ts';

export const connect = defineCommand({
  summary: "connect stdin and stdout to a pod's SSH port, for ssh's ProxyCommand",
  details:
    'ssh runs it for the hosts of berth pods ssh-config: it finds the address that the pod has now, so that NAME.berth stays right when the pod restarts on another port.',
  changesMachine: true,
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
