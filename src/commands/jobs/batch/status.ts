import {
  analyzeBatch,
  LOCAL_SERVICE,
  readStatus,
  resumeLine,
  type BatchAnalysis,
  type BatchPorts,
  type BatchStatus,
} from '../../../batch/index.ts';
import { sentence } from '../../../core/message.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Result } from '../../../output/view.ts';
import type { StatusValues } from './options/flags.ts';
import { reportDocument, timesOf } from './view/report-document.ts';
import { commonestErrors, statusMembers, statusView } from './view/status-view.ts';
import { batchPorts } from './ports.ts';

/**
 * Shows the state of a batch. Changes nothing. Fails with local-file (14) when a journal is broken; results that are not what
 * it records are a note, because the counts are in the journal.
 */
export async function status(ctx: CommandContext, values: StatusValues): Promise<Result> {
  const read = await readBatch(await batchPorts(ctx, values.s3Endpoint), values.results);
  const { analysis, problem }: ReadBatch = read;
  const { name, counts, resumable, service, state } = read.status;
  return {
    kind: 'one',
    view: statusView(analysis),
    value: statusMembers(read.status, analysis === undefined ? {} : resultMembers(analysis)),
    exit: values.exitStatus && counts.completed !== counts.planned ? EXIT.batchIncomplete : EXIT.done,
    notes: [
      ...(problem === undefined ? [] : [problem]),
      ...(resumable && state !== 'running'
        ? [
            // A batch does not keep them, and without them the rest of it may cost more than was meant.
            'A batch keeps no limits: if an earlier run had --rate, --max-failures or --max-time, give them again.',
            sentence`Go on with: ${resumeLine(service === LOCAL_SERVICE, name)}`,
          ]
        : []),
    ],
  };
}

interface ReadBatch {
  readonly status: BatchStatus;
  readonly analysis?: BatchAnalysis;
  /** Why the results could not be read. */
  readonly problem?: string;
}

async function readBatch(ports: BatchPorts, results: string): Promise<ReadBatch> {
  try {
    const analysis = await analyzeBatch(ports, results);
    return { status: analysis, analysis };
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== EXIT.localFile) throw error;
    // Fails in the same way when the journal is the cause.
    return { status: (await readStatus(ports, results)).status, problem: error.message };
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
