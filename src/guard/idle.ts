import { itemsAt, type Json, numberAt, stringAt } from '../core/json.ts';
import { formatDuration } from '../core/units.ts';
import type { EpochMs, Milliseconds } from '../core/unit-types.ts';

/** `why` has no final period. */
export interface Finding {
  readonly state: 'met' | 'not-met' | 'unknown';
  readonly why: string;
}

/** Use in percent from which a pod is not idle. */
const [BUSY_GPU, BUSY_CPU] = [5, 10];

/** Between two polls of a guard. */
export const longestInterval = (forMs: Milliseconds): Milliseconds => forMs / 10;

interface Quiet {
  readonly since: EpochMs;
  readonly seenAt: EpochMs;
}

/** The service gives momentary values only, so use is tracked over polls. */
export class IdleWatch {
  readonly #forMs: Milliseconds;
  #quiet: ReadonlyMap<string, Quiet> = new Map();

  constructor(forMs: Milliseconds) {
    this.#forMs = forMs;
  }

  /** Restarts a watch after a gap of a fifth of the time, and if the clock is set back. */
  look(pods: readonly Json[], now: EpochMs): void {
    this.#quiet = new Map(
      pods.flatMap((pod): (readonly [string, Quiet])[] => {
        const before = this.#quiet.get(startOf(pod));
        const isKept =
          before !== undefined && now >= before.seenAt && now - before.seenAt <= 2 * longestInterval(this.#forMs);
        const use = useOf(pod);
        if (use === undefined) return isKept ? [[startOf(pod), before]] : [];
        return use === 'idle' ? [[startOf(pod), { since: isKept ? before.since : now, seenAt: now }]] : [];
      }),
    );
  }

  find(pod: Json, now: EpochMs): Finding {
    const use = useOf(pod);
    if (use === undefined) return { state: 'unknown', why: 'its use is not known' };
    if (use !== 'idle') return { state: 'not-met', why: use };
    const [forMs, watchedMs] = [this.#forMs, now - (this.#quiet.get(startOf(pod))?.since ?? now)];
    if (watchedMs >= forMs) return { state: 'met', why: `idle for ${formatDuration(forMs)}` };
    return { state: 'unknown', why: `idle for ${formatDuration(watchedMs)} of ${formatDuration(forMs)}` };
  }
}

const startOf = (pod: Json): string => `${stringAt(pod, 'id') ?? ''} ${stringAt(pod, 'startedAt') ?? ''}`;

/** `idle`, else what is busy. Undefined if any number is missing, also of one GPU of several (specification 2.2, PodRuntime). */
function useOf(pod: Json): string | undefined {
  const cpu = numberAt(pod, 'runtime.cpu.util');
  if (stringAt(pod, 'status') !== 'RUNNING' || stringAt(pod, 'startedAt') === undefined || cpu === undefined)
    return undefined;
  const count = numberAt(pod, 'gpu.count') ?? (stringAt(pod, 'gpu.id') === undefined ? 0 : 1);
  const gpus = itemsAt(pod, 'runtime.gpus').flatMap((gpu) => numberAt(gpu, 'util') ?? []);
  if (gpus.length < count) return undefined;
  const gpu = count === 0 ? 0 : Math.max(...gpus);
  return gpu >= BUSY_GPU ? `GPU ${gpu}%` : cpu >= BUSY_CPU ? `CPU ${cpu}%` : 'idle';
}
