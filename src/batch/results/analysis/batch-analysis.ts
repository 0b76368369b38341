import type { DurableFiles } from '../../../core/context.ts';
import type { DollarRange } from '../../../core/units.ts';
import { executionCost } from '../report/cost.ts';
import type { BatchStatus } from '../report/report-types.ts';
import { readStatus } from '../../read-status.ts';
import type { JournalRecord } from '../../stores/file/journal/record.ts';
import { analyzeResults, type ResultsAnalysis } from './analyze-results.ts';
import { intactResults, resultsChanged } from './intact-results.ts';
import { createTimeline, type TimelineSummary } from './timeline.ts';

/** Everything that can be read from the files of a batch. */
export interface BatchAnalysis extends BatchStatus, ResultsAnalysis {
  /** How often the service ran a job again. */
  readonly retried: number;
  /** From the start of the batch to its last result, in milliseconds; undefined when the journal has no end time. */
  readonly wallMs: number | undefined;
  /** Milliseconds since the epoch. */
  readonly lastEndedAt: number | undefined;
  /** Average number of items that ended per second. */
  readonly perSecond: number | undefined;
  readonly timeline: TimelineSummary | undefined;
  /** What the execution time costs, without idle and starting workers; undefined when the journal has no price. */
  readonly cost: DollarRange | undefined;
}

/** Maximum number of attempts to read the files, because a running batch may change them during the reading. */
const MAX_ATTEMPTS = 3;

/**
 * Reads the journal and the results of a batch, whether it has ended, runs or was killed. Sends nothing, changes
 * nothing, and needs about 20 bytes of memory per item. Fails with local-file (14) when the journal is broken or the
 * results are not what the journal records, and with the signal's reason.
 */
export async function analyzeBatch(
  durable: DurableFiles,
  results: string,
  signal?: AbortSignal,
): Promise<BatchAnalysis> {
  for (let attempt = 1; ; attempt++) {
    const timeline = createTimeline();
    let lastEndedAt: number | undefined;
    const onRecord = (record: JournalRecord): void => {
      if (record.kind !== 'event' || (record.event.kind !== 'end' && record.event.kind !== 'refuse')) return;
      const { at } = record.data;
      if (at === undefined) return;
      lastEndedAt = Math.max(at, lastEndedAt ?? at);
      const completed = record.event.kind === 'end' && record.event.ending === 'completed';
      timeline.add(at, completed ? 1 : 0, completed ? 0 : 1);
    };
    const { status, journal } = await readStatus(durable, results, onRecord);
    const source = await intactResults(durable, status.results, journal, signal);
    // A running batch may have put its results in order since its journal was read.
    if (source === undefined && status.holder !== undefined && attempt < MAX_ATTEMPTS) continue;
    if (source === undefined) throw resultsChanged(status.results);
    const analysis = await analyzeResults(durable, source, signal);
    const { counts, begunAt } = status;
    const ended = counts.planned - counts.waiting - counts.inFlight - counts.unknown;
    // The wall clock may have been set back since the start.
    const wallMs = lastEndedAt === undefined ? undefined : Math.max(0, lastEndedAt - begunAt);
    const { workerPrice, retried } = journal;
    const hasCost = workerPrice !== undefined && analysis.executionMs !== undefined;
    return {
      ...status,
      ...analysis,
      retried,
      wallMs,
      lastEndedAt,
      perSecond: wallMs === undefined || wallMs === 0 ? undefined : (ended / wallMs) * 1000,
      timeline: timeline.summary(),
      cost: hasCost ? executionCost(workerPrice, analysis.executionMs) : undefined,
    };
  }
}
