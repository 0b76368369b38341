/** A source without files, with --delete: everything at the target would go. It may be a folder that is not mounted. */
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, usage } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Sync } from './open-sync.ts';

/** Asks before everything is removed. Fails with usage (2) where nobody can be asked, and where the answer is no. */
export async function confirmEmptySource(ctx: CommandContext, sync: Sync, count: number): Promise<void> {
  if (!ctx.terminal.canAsk) throw refusal(sync, count);
  await ctx.tell(sentenceOf(sync, count));
  if (!(await ctx.prompts.confirm('Remove everything?', false)))
    throw new Failure({ code: 'declined', exit: EXIT.usage, message: 'not confirmed: nothing was removed' });
}

/** Says it in a dry run. Returns what the command would fail with where nobody can be asked. */
export async function tellEmptySource(ctx: CommandContext, sync: Sync, count: number): Promise<Failure | undefined> {
  if (!ctx.terminal.canAsk) return refusal(sync, count);
  await ctx.tell(sentenceOf(sync, count));
  return undefined;
}

const refusal = ({ source }: Sync, count: number): Failure =>
  usage(
    `${source.shown('')} has no files, and everything at the target (${String(count)}) would be removed`,
    'If that is meant, add --allow-empty to --delete. Else look at the source: it may not be mounted.',
  );

const sentenceOf = ({ source }: Sync, count: number): string =>
  `${source.shown('')} has no files. Is it mounted? Everything at the target (${String(count)}) would be removed.`;
