import {
  analyzeBatch,
  LOCAL_SERVICE,
  resumeLine,
  type Batch,
  type BatchAnalysis,
  type BatchStatus,
} from '../../../batch/index.ts';
import { sentence } from '../../../core/message.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, unlessFailed } from '../../../core/failure.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Result } from '../../../output/view.ts';
import type { StatusValues } from './options/flags.ts';
import { reportDocument, timesOf } from './view/report-document.ts';
import { commonestErrors, statusMembers, statusView, idleShardNotes, unpublishedNotes } from './view/status-view.ts';
import { withBatch } from './store/store.ts';

/**
 * Shows the state of a batch. Changes nothing. Fails with local-file (14) when a journal is broken; results that are not what
 * it records are a note, because the counts are in the journal.
 */
export async function status(ctx: CommandContext, values: StatusValues): Promise<Result> {
  return await withBatch(ctx, values, values.results, async (batch) => {
    // The results of a shared batch may be much to read, and far away: its report reads them.
    const read = batch.sharing === undefined ? await readBatch(batch) : { status: await batch.status() };
    const { analysis, problem }: ReadBatch = read;
    const { reference, counts, resumable, service, state, shared } = read.status;
    return {
      kind: 'one',
      view: statusView(analysis),
      value: statusMembers(read.status, analysis === undefined ? {} : resultMembers(analysis)),
      exit: values.exitStatus && counts.completed !== counts.planned ? EXIT.batchIncomplete : EXIT.done,
      notes: [
        ...(problem === undefined ? [] : [problem]),
        ...idleShardNotes(read.status),
        ...(shared?.holds === false
          ? ['The counts do not add up: rows of the store were changed by hand or restored.']
          : []),
        ...unpublishedNotes(await countUnpublished(ctx, batch, read.status), reference),
        ...(resumable && state !== 'running'
          ? [
              // A batch does not keep them, and without them the rest of it may cost more than was meant.
              'A batch keeps no limits: if an earlier run had --rate, --max-failures or --max-time, give them again.',
              sentence`Go on with: ${resumeLine(service === LOCAL_SERVICE, reference)}`,
            ]
          : []),
      ],
    };
  });
}

/**
 * Counts the files that were written for a batch and are no part of it, by one listing: not while drivers work, when the state
 * may be asked for again and again. 0 where the storage cannot be asked: the state is in the database.
 */
const countUnpublished = async (ctx: CommandContext, batch: Batch, { state }: BatchStatus): Promise<number> =>
  state === 'running' ? 0 : ((await unlessFailed(ctx, async () => batch.sharing?.leftovers()))?.length ?? 0);

interface ReadBatch {
  readonly status: BatchStatus;
  readonly analysis?: BatchAnalysis;
  /** Why the results could not be read. */
  readonly problem?: string;
}

async function readBatch(batch: Batch): Promise<ReadBatch> {
  try {
    const analysis = await analyzeBatch(batch);
    return { status: analysis, analysis };
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== EXIT.localFile) throw error;
    // Fails in the same way when the journal is the cause.
    return { status: await batch.status(), problem: error.message };
  }
}

/** What `run` tells at its end: times, cost, and the commonest errors. */
function resultMembers(analysis: BatchAnalysis): JsonObject {
  const { wallSeconds, executionCostUsd } = reportDocument(analysis);
  return {
    ...{ wallSeconds, executionCostUsd },
    executionMs: timesOf(analysis.execution),
    delayMs: timesOf(analysis.delay),
    commonestErrors: commonestErrors(analysis).map(({ pattern, state, count }) => ({ pattern, state, count })),
  };
}
