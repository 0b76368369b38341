import { itemsAt, numberAt, stringAt, type Json } from '../core/json.ts';
import { formatDuration } from '../core/units.ts';
import type { EpochMs, Milliseconds } from '../core/unit-types.ts';

/** When a pod counts as idle: use in percent below each limit for the whole time. */
export interface IdleLimits {
  readonly forMs: Milliseconds;
  readonly gpu: number;
  readonly cpu: number;
}

/** What a condition says of a pod: it is met, it is not, or that cannot be known. `why` has no final stop. */
export interface Finding {
  readonly state: 'met' | 'not-met' | 'unknown';
  readonly why: string;
}

/** The longest time between two looks of a guard that watches for so long. */
export const longestInterval = (forMs: Milliseconds): Milliseconds => forMs / 10;

/** Since when a start of a pod shows no use, and when that was last seen. */
interface Quiet {
  readonly since: EpochMs;
  readonly seenAt: EpochMs;
}

/** Watches the use of pods from look to look: the service gives momentary values only. */
export class IdleWatch {
  readonly #limits: IdleLimits;
  #quiet: ReadonlyMap<string, Quiet> = new Map();

  constructor(limits: IdleLimits) {
    this.#limits = limits;
  }

  /**
   * Adds what a complete list of pods shows now. Where nothing is known of a pod for a fifth of the time, and where the clock
   * is set back, its watch starts over.
   */
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

  /** Whether a RUNNING pod, as it is now, was watched and idle for the whole time. */
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

/** Which start of which pod. */
const startOf = (pod: Json): string => `${stringAt(pod, 'id') ?? ''} ${stringAt(pod, 'startedAt') ?? ''}`;

/** Percent; the highest of the GPUs, undefined for a pod without one. */
interface Use {
  readonly gpu: number | undefined;
  readonly cpu: number;
}

/** Undefined where one of the numbers is missing, also of one of several GPUs (specification 2.2, PodRuntime). */
function useOf(pod: Json): Use | undefined {
  const cpu = numberAt(pod, 'runtime.cpu.util');
  if (stringAt(pod, 'status') !== 'RUNNING' || stringAt(pod, 'startedAt') === undefined || cpu === undefined)
    return undefined;
  const count = numberAt(pod, 'gpu.count') ?? (stringAt(pod, 'gpu.id') === undefined ? 0 : 1);
  const gpus = itemsAt(pod, 'runtime.gpus').flatMap((gpu) => numberAt(gpu, 'util') ?? []);
  return gpus.length < count ? undefined : { gpu: count === 0 ? undefined : Math.max(...gpus), cpu };
}

/** `GPU 43%`: what is not below its limit. */
function overLimit({ gpu, cpu }: Use, limits: IdleLimits): string | undefined {
  if (gpu !== undefined && gpu >= limits.gpu) return `GPU ${gpu}%`;
  return cpu >= limits.cpu ? `CPU ${cpu}%` : undefined;
}
