import type { CommandContext } from '../../../cli/context.ts';

/** The value of --store that names the journal beside the results, where BERTH_STORE names a store. */
const FILE = 'file';

/** Returns whether a command works on a batch in a PostgreSQL store: --store or BERTH_STORE names one. */
export const usesStore = (ctx: CommandContext, store: string | undefined): boolean =>
  store === undefined ? (ctx.env['BERTH_STORE'] ?? '') !== '' : store !== FILE;
