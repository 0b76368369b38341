import type { BatchAnalysis } from '../../../../batch/index.ts';
import { analyzeShared } from '../../../../batch/shared/index.ts';
import type { CommandContext } from '../../../../cli/context.ts';
import { withStore, type StoreValues } from './store.ts';

/** Analyzes the published results of a shared batch. Fails as the store and the storage do. */
export async function analyze(
  ctx: CommandContext,
  values: StoreValues & { readonly results: string },
): Promise<BatchAnalysis> {
  return await withStore(ctx, values, 'read', async ({ ports, find }) =>
    analyzeShared(ports, await find(values.results), ports.reference(values.results)),
  );
}
