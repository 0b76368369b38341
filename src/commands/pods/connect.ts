import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg } from '../../cli/model/params.ts';
import { unlessFailed, usage } from '../../core/failure.ts';
import { refusedName } from '../files/names.ts';
import { reachPod } from './reach-pod.ts';
import { PODS } from './resource.ts';
import type { ReachablePod } from './ssh-command.ts';
import { HOST_SUFFIX } from './ssh-config.ts';

export const connect = defineCommand({
  summary: "connect stdin and stdout to a pod's SSH port, for ssh's ProxyCommand",
  details: 'ssh runs it for the hosts of berth pods ssh-config: it finds the address that the pod has now.',
  changesMachine: true,
  hidden: true,
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

/** Forgets the host key after a restart: a new container has a new key. Usage (2), local-file (14). */
async function rememberStart(ctx: CommandContext, host: string, { id, start }: ReachablePod): Promise<void> {
  if (/[/\\]/.test(host) || refusedName(host, ctx.platform) !== undefined)
    throw usage(`${JSON.stringify(host)} cannot be a host name`, 'Use the id of the pod.');
  const files = await ctx.durable();
  const keys = `${await ctx.spawn.knownHosts()}.d/${host}`;
  const [mark, now] = [`${keys}.start`, `${id} ${start}\n`];
  const before = await unlessFailed(ctx, async () => new TextDecoder().decode(await ctx.files.read(mark)));
  if (before === now) return;
  if ((await files.size(keys)) !== undefined) await files.remove(keys);
  await ctx.files.write(mark, now, { mode: 0o600, makeParents: true });
}
