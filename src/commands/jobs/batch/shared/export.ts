import type { ExportedResults } from '../../../../batch/index.ts';
import { exportSharedResults, type SharedExportOptions } from '../../../../batch/shared/index.ts';
import type { CommandContext } from '../../../../cli/context.ts';
import type { Result } from '../../../../output/view.ts';
import { withStore, type StoreValues } from './store.ts';

/** Opens the published results of a shared batch for `write`. Fails as the store and `write` do. */
export async function exportShared(
  ctx: CommandContext,
  values: StoreValues & SharedExportOptions & { readonly results: string },
  write: (exported: ExportedResults) => Promise<Result>,
): Promise<Result> {
  return await withStore(ctx, values, 'read', async ({ ports, find }) =>
    write(await exportSharedResults(ports, await find(values.results), values)),
  );
}
