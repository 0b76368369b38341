import {
  analyzeBatch,
  type BatchAnalysis,
  type BatchPorts,
  type BatchStatus,
  LOCAL_SERVICE,
  readStatus,
  resumeLine,
} from '../../batch/index.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { batchPorts } from './ports.ts';
import { commonestErrors, reportDocument, statusMembers, statusView, timesOf } from './report-document.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { sentence } from '../../core/message.ts';
import type { Result } from '../../output/view.ts';

interface StatusValues {
  readonly results: string;
  readonly exitStatus: boolean;
}

/** Read-only. Local-file (14) for a broken journal; other results than it records are only a note. */
export async function status(ctx: CommandContext, values: StatusValues): Promise<Result> {
  const read = await readBatch(await batchPorts(ctx), values.results);
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
            // Without these limits the rest may cost more than was meant.
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

function resultMembers(analysis: BatchAnalysis): JsonObject {
  const { wallSeconds, executionCostUsd } = reportDocument(analysis);
  return {
    ...{ wallSeconds, executionCostUsd },
    executionMs: timesOf(analysis.execution),
    delayMs: timesOf(analysis.delay),
    commonestErrors: commonestErrors(analysis).map(({ pattern, state, count }) => ({ pattern, state, count })),
  };
}
