import { itemsAt, type Json, numberAt, stringAt } from '../core/json.ts';
import { formatDuration } from '../core/units.ts';
import type { EpochMs, Milliseconds } from '../core/unit-types.ts';

/** Percent, below each limit for the complete time. */
export interface IdleLimits {
  readonly forMs: Milliseconds;
  readonly gpu: number;
  readonly cpu: number;
}

/** `why` has no final period. */
export interface Finding {
  readonly state: 'met' | 'not-met' | 'unknown';
  readonly why: string;
}

/** Between two polls of a guard. */
export const longestInterval = (forMs: Milliseconds): Milliseconds => forMs / 10;

interface Quiet {
  readonly since: EpochMs;
  readonly seenAt: EpochMs;
}

/** The service gives momentary values only, so use is tracked over polls. */
export class IdleWatch {
  readonly #limits: IdleLimits;
  #quiet: ReadonlyMap<string, Quiet> = new Map();

  constructor(limits: IdleLimits) {
    this.#limits = limits;
  }

  /** Restarts a watch after a gap of a fifth of the time, and if the clock is set back. */
  look(pods: readonly Json[], now: EpochMs): void {
    this.#quiet = new Map(
      pods.flatMap((pod): (readonly [string, Quiet])[] => {
        const before = this.#quiet.get(startOf(pod));
        const isKept =
          before !== undefined &&
          now >= before.seenAt &&
          now - before.seenAt <= 2 * longestInterval(this.#limits.forMs);
        const use = useOf(pod);
        if (use === undefined) return isKept ? [[startOf(pod), before]] : [];
        if (overLimit(use, this.#limits) !== undefined) return [];
        return [[startOf(pod), { since: isKept ? before.since : now, seenAt: now }]];
      }),
    );
  }

  find(pod: Json, now: EpochMs): Finding {
    const use = useOf(pod);
    if (use === undefined) return { state: 'unknown', why: 'its use is not known' };
    const over = overLimit(use, this.#limits);
    if (over !== undefined) return { state: 'not-met', why: over };
    const { forMs } = this.#limits;
    const watchedMs = now - (this.#quiet.get(startOf(pod))?.since ?? now);
    if (watchedMs >= forMs) return { state: 'met', why: `idle for ${formatDuration(forMs)}` };
    return { state: 'unknown', why: `idle for ${formatDuration(watchedMs)} of ${formatDuration(forMs)}` };
  }
}

const startOf = (pod: Json): string => `${stringAt(pod, 'id') ?? ''} ${stringAt(pod, 'startedAt') ?? ''}`;

/** Percent; the highest GPU, undefined without one. */
interface Use {
  readonly gpu: number | undefined;
  readonly cpu: number;
}

/** Undefined if any number is missing, also of one GPU of several (specification 2.2, PodRuntime). */
function useOf(pod: Json): Use | undefined {
  const cpu = numberAt(pod, 'runtime.cpu.util');
  if (stringAt(pod, 'status') !== 'RUNNING' || stringAt(pod, 'startedAt') === undefined || cpu === undefined)
    return undefined;
  const count = numberAt(pod, 'gpu.count') ?? (stringAt(pod, 'gpu.id') === undefined ? 0 : 1);
  const gpus = itemsAt(pod, 'runtime.gpus').flatMap((gpu) => numberAt(gpu, 'util') ?? []);
  return gpus.length < count ? undefined : { gpu: count === 0 ? undefined : Math.max(...gpus), cpu };
}

function overLimit({ gpu, cpu }: Use, limits: IdleLimits): string | undefined {
  if (gpu !== undefined && gpu >= limits.gpu) return `GPU ${gpu}%`;
  return cpu >= limits.cpu ? `CPU ${cpu}%` : undefined;
}
