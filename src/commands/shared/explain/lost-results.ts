import { readRequest } from '../../../core/api.ts';
import { memberAt, stringAt } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { ENDPOINTS } from '../collections.ts';
import { rowsOf, type EndpointFacts } from './endpoint-facts.ts';
import { readLastLineThat, valueOf, type Fact } from './facts.ts';

/** A line of the system log of each worker that was asked; undefined where it has no such line. */
export type WorkerNotes = readonly { readonly worker: string; readonly line: Fact<string | undefined> }[];

/** How many workers are asked for their logs: the service does not say which one has a job. */
const MAX_LOGS = 5;

/** The last line for which `isWanted` is true in the system log of each busy worker, of five at most. */
export async function readWorkerNotes(
  ctx: CommandContext,
  { id, workers }: EndpointFacts,
  isWanted: (line: string) => boolean,
): Promise<WorkerNotes> {
  const busy = rowsOf(workers).filter((row) => memberAt(row, 'status') === 'RUNNING');
  return Promise.all(
    busy.slice(0, MAX_LOGS).map(async (row) => {
      const worker = stringAt(row, 'id') ?? '';
      const path = [...ENDPOINTS.path, id, 'workers', worker, 'logs'];
      const system = readRequest(path, { query: { source: 'system' } });
      return { worker, line: await readLastLineThat(ctx, system, isWanted) };
    }),
  );
}

/** Whether a line of a worker's log says that the result of a job will not come. */
export const saysNoResult = (line: string): boolean => /\bno result\b|\bresult\b.*\brefused\b/.test(line);

/** The first line that says that a result will not come, with its worker. */
export const noResult = (notes: WorkerNotes): { readonly worker: string; readonly line: string } | undefined =>
  notes.map(({ worker, line }) => ({ worker, line: valueOf(line) ?? '' })).find(({ line }) => saysNoResult(line));
