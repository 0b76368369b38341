import type { Json } from '../../core/json.ts';
import { Failure } from '../../core/failure.ts';
import { type Message, sentence } from '../../core/message.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { jobStatus } from '../../queue/job-status.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** How long jobs may stand still before the reason is printed. */
const STALLED_MS: Milliseconds = 15_000;

/** Finds out, once per wait, why jobs do not move. */
export interface StallNotice {
  /** Records the last answer about a job. */
  readonly saw: (job: string, document: Json) => void;
  /**
   * The lines to print: the verdict about the first job that waits in the queue, and what cures it. None while jobs move,
   * and none after the first time. A job that a worker runs moves.
   */
  readonly lines: () => Promise<readonly Message[]>;
}

export function createStallNotice(ctx: CommandContext, endpoint: string): StallNotice {
  const statuses = new Map<string, string>();
  let changedAt = ctx.clock.monotonic();
  let isDone = false;
  return {
    saw: (job, document) => {
      const status = jobStatus(document);
      if (statuses.get(job) === status) return;
      statuses.set(job, status);
      changedAt = ctx.clock.monotonic();
    },
    lines: async () => {
      if (isDone || ctx.clock.monotonic() - changedAt < STALLED_MS) return [];
      const [waiting] = [...statuses].find(([, status]) => status === 'IN_QUEUE') ?? [];
      if (waiting === undefined) return [];
      isDone = true;
      return await explainStall(ctx, endpoint, waiting);
    },
  };
}

async function explainStall(ctx: CommandContext, endpoint: string, job: string): Promise<readonly Message[]> {
  try {
    const { explainJob } = await import('./explain/explain-job.ts');
    const { verdict } = await explainJob(ctx, endpoint, job, 0);
    if (verdict.code === 'unknown') return [];
    return [`job ${job}: ${verdict.verdict}`, ...verdict.cure.map((line) => sentence`  -> ${line}`)];
  } catch (error) {
    // The wait itself reports what goes wrong.
    if (error instanceof Failure && !ctx.signal.aborted) return [];
    throw error;
  }
}
