import { createAnalyzer, parseResult } from '../results/analysis/analyze-results.ts';
import type { BatchAnalysis } from '../results/analysis/batch-analysis.ts';
import { createTimeline } from '../results/analysis/timeline.ts';
import { executionCost } from '../results/report/cost.ts';
import type { StoredBatch } from '../stores/postgres/rows/batch-rows.ts';
import { listParts } from '../stores/postgres/rows/listing.ts';
import { readShards, type ReadPorts } from './part-reader.ts';
import { stateOf } from '../stores/items/result-state.ts';
import { sharedStatus } from './shared-status.ts';

/**
 * Reads the store and the published results of a batch. The timeline has every end, also of items that were sent again
 * later; the last end is the latest publication. Fails as `readShards` does.
 */
export async function analyzeShared(
  ports: ReadPorts,
  batch: StoredBatch,
  reference: readonly string[],
): Promise<BatchAnalysis> {
  const { state, ...status } = await sharedStatus(ports.database, batch, reference);
  const analyzer = createAnalyzer();
  for await (const { groups } of readShards(ports, batch))
    for await (const lines of groups())
      for (const [item, line] of lines) {
        const result = parseResult(line);
        analyzer.add(item, result, stateOf(result));
      }
  const results = analyzer.summary();
  const parts = await listParts(ports.database, batch.batch, 0, batch.shards);
  const timeline = createTimeline();
  for (const { ends } of parts)
    for (const [second, completed, notCompleted] of ends) timeline.add(second * 1000, completed, notCompleted);
  const lastEndedAt = parts.length === 0 ? undefined : Math.max(...parts.map(({ publishedAt }) => publishedAt));
  const wallMs = lastEndedAt === undefined ? undefined : Math.max(0, lastEndedAt - batch.createdAt);
  const { counts } = status;
  const ended = counts.planned - counts.waiting - counts.inFlight - counts.unknown;
  const { workerPrice } = batch;
  const { executionMs } = results;
  return {
    ...status,
    ...results,
    state: state === 'cancelled' ? 'stopped' : state,
    holder: undefined,
    retried: 0,
    wallMs,
    lastEndedAt,
    perSecond: wallMs === undefined || wallMs === 0 ? undefined : (ended / wallMs) * 1000,
    timeline: timeline.summary(),
    cost: workerPrice === undefined || executionMs === undefined ? undefined : executionCost(workerPrice, executionMs),
  };
}
