import type { BatchAnalysis, BatchPorts, BatchStatus } from '../../batch/index.ts';
import { defineCommand, endedWhen } from '../../cli/model/command.ts';
import { option } from '../../cli/model/params.ts';
import { missingShards, resultsArg } from './options.ts';
import { BATCH_STATUS } from './schemas.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { memberAt } from '../../core/json.ts';
import { sentence } from '../../core/message.ts';

export const status = defineCommand({
  output: BATCH_STATUS,
  summary: 'show the progress of a batch, from its files only',
  details: 'Sends nothing and changes nothing, also while the batch runs.',
  args: { results: resultsArg },
  options: { exitStatus: option.on('end 13 unless every item completed') },
  exits: [EXIT.batchIncomplete],
  watch: endedWhen((row) => memberAt(row, 'state') !== 'running'),
  examples: [['berth jobs batch status results.jsonl', 'what is done, what is left']],
  run: async (ctx, values) => {
    const [{ LOCAL_SERVICE, resumeLine }, { batchPorts }, { statusDocument, statusView }] = await Promise.all([
      import('../../batch/index.ts'),
      import('./ports.ts'),
      import('./report-document.ts'),
    ]);
    const { found, analysis, problem } = await readBatch(await batchPorts(ctx), values.results);
    const { counts, missingShards: missing = [], shards = [found] } = found;
    const toResume = shards.filter(({ resumable, state }) => resumable && state !== 'running');
    const isComplete = counts.completed === counts.planned && missing.length === 0;
    return {
      kind: 'one',
      view: statusView(analysis),
      value: statusDocument(found, analysis),
      exit: values.exitStatus && !isComplete ? EXIT.batchIncomplete : EXIT.done,
      notes: [
        ...(problem === undefined ? [] : [problem]),
        ...missingShards(found),
        ...toResume.map(({ service, name }) => sentence`Continue: ${resumeLine(service === LOCAL_SERVICE, name)}`),
      ],
    };
  },
});

interface ReadBatch {
  readonly found: BatchStatus;
  readonly analysis?: BatchAnalysis;
  readonly problem?: string;
}

/** Local-file (14) for a broken journal; other results than it records are only a note. */
async function readBatch(ports: BatchPorts, results: readonly string[]): Promise<ReadBatch> {
  const { analyzeBatch, readStatus, sumOf } = await import('../../batch/index.ts');
  try {
    const analysis = await analyzeBatch(ports, results);
    return { found: analysis, analysis };
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== EXIT.localFile) throw error;
    // Fails in the same way when the journal is the cause.
    const parts = [];
    for (const name of results) parts.push(await readStatus(ports, name));
    return {
      found: sumOf(parts.map(({ status, journal }) => ({ status, header: journal.header }))),
      problem: error.message,
    };
  }
}
