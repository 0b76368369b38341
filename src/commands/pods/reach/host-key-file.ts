import { unlessFailed } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { ReachablePod } from './reach-pod.ts';

/**
 * Forgets the host key of a host of `pods ssh-config` when its pod was started again: the new container has a new key. Within one
 * start, ssh refuses another one. Fails with local-file (14).
 */
export async function rememberStart(
  ctx: CommandContext,
  host: string,
  { id, start }: Pick<ReachablePod, 'id' | 'start'>,
): Promise<void> {
  const files = await ctx.durable();
  const keys = `${await ctx.spawn.knownHosts()}.d/${host.toLowerCase().replace(/[^a-z0-9._-]/g, '_')}`;
  const [mark, now] = [`${keys}.start`, `${id} ${start}\n`];
  const before = await unlessFailed(ctx, async () => new TextDecoder().decode(await ctx.files.read(mark)));
  if (before === now) return;
  if ((await files.size(keys)) !== undefined) await files.remove(keys);
  await ctx.files.write(mark, now, { mode: 0o600, makeParents: true });
}
