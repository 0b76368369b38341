import { unlessFailed, usage } from '../../../core/failure.ts';
import { berth, sentence } from '../../../core/message.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { refusedName } from '../../shared/paths/names.ts';
import type { ReachablePod } from './reach-pod.ts';

/**
 * Forgets the host key of a host of `pods ssh-config` when its pod was started again: the new container has a new key. Within one
 * start, ssh refuses another one. The file has the name of the host as ssh was given it. Fails with usage (2) for one that is no name
 * of a file, and with local-file (14).
 */
export async function rememberStart(
  ctx: CommandContext,
  host: string,
  { id, start }: Pick<ReachablePod, 'id' | 'start'>,
): Promise<void> {
  if (/[/\\]/.test(host) || refusedName(host, ctx.platform) !== undefined)
    throw usage(`${JSON.stringify(host)} is no name of a host`, sentence`Take its id: ${berth`pods list`}`);
  const files = await ctx.durable();
  const keys = `${await ctx.spawn.knownHosts()}.d/${host}`;
  const [mark, now] = [`${keys}.start`, `${id} ${start}\n`];
  const before = await unlessFailed(ctx, async () => new TextDecoder().decode(await ctx.files.read(mark)));
  if (before === now) return;
  if ((await files.size(keys)) !== undefined) await files.remove(keys);
  await ctx.files.write(mark, now, { mode: 0o600, makeParents: true });
}
