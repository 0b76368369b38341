import type { Json } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { text } from '../../../output/layout/cell-functions.ts';
import type { Result, View } from '../../../output/view.ts';
import { statusMembers } from './status-view.ts';
import { withStore, type StoreValues } from './store.ts';
import { batchView } from './view.ts';

/** Lists the batches of a store; of a folder, where a store is files. Changes nothing. Fails as the store does. */
export async function listBatches(
  ctx: CommandContext,
  values: StoreValues & { readonly folder: string | undefined },
): Promise<Result> {
  return await withStore(ctx, values, { access: 'read' }, async ({ store }) => {
    const rows: Json[] = [];
    for await (const status of store.list(values.folder ?? '')) rows.push(statusMembers(status));
    return { kind: 'many', view: listView, values: rows };
  });
}

const COLUMNS = ['batch', 'state', 'planned', 'completed', 'failed', 'unknown', 'waiting', 'endpoint', 'begun'];
const NUMBERS = new Set(['planned', 'completed', 'failed', 'unknown', 'waiting']);

const listView: View = {
  ...batchView,
  columns: COLUMNS.map((name) => ({
    header: name.toUpperCase(),
    show: text(name),
    ...(NUMBERS.has(name) ? { right: true } : {}),
  })),
};
