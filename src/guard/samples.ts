/** What was seen of the use of pods, between sweeps of a guard. The service gives momentary values only. */
import { arrayOf, isObject, itemsAt, numberAt, numberOf, type Json, type JsonObject, stringAt } from '../core/json.ts';

/** The use of a pod at one time, in percent: the highest of its GPUs, and what its container takes. */
export interface UseSample {
  /** The service's time in milliseconds. */
  readonly at: number;
  /** Undefined for a pod without GPUs. */
  readonly gpu: number | undefined;
  readonly cpu: number;
  readonly memory: number;
}

/** The samples of a pod since one start of it, the oldest first. */
interface PodSamples {
  readonly startedAt: string;
  readonly samples: readonly UseSample[];
}

/** The samples of pods by their ids. */
export type Samples = ReadonlyMap<string, PodSamples>;

/** The longest time that samples are kept, in milliseconds. */
export const MAX_WINDOW_MS = 7 * 86_400_000;

/** The length of the shortest cell, in milliseconds, and the age up to which cells are so short. */
const CELL_MS = 60_000;
const SHORT_CELLS_MS = 20 * CELL_MS;

/**
 * The use of a pod now; undefined where one of the numbers is missing, also of one of several GPUs: what is missing is
 * unknown, never idle (specification 2.2, PodRuntime).
 */
export function useOf(pod: Json, at: number): UseSample | undefined {
  const [cpu, memory] = [numberAt(pod, 'runtime.cpu.util'), numberAt(pod, 'runtime.memory.util')];
  if (stringAt(pod, 'status') !== 'RUNNING' || cpu === undefined || memory === undefined) return undefined;
  const count = numberAt(pod, 'gpu.count') ?? (stringAt(pod, 'gpu.id') === undefined ? 0 : 1);
  const gpus = itemsAt(pod, 'runtime.gpus').flatMap((gpu) => numberAt(gpu, 'util') ?? []);
  if (gpus.length < count) return undefined;
  return { at, gpu: count === 0 ? undefined : Math.max(...gpus), cpu, memory };
}

/**
 * Adds what a whole list of pods shows now. Pods that are not in it, earlier starts, and samples of the future (the clock
 * was set back) are dropped.
 */
export function withSamples(before: Samples, pods: readonly Json[], now: number): Samples {
  return new Map(
    pods.flatMap((pod): [string, PodSamples][] => {
      const [id, startedAt] = [stringAt(pod, 'id'), stringAt(pod, 'startedAt')];
      if (id === undefined || startedAt === undefined) return [];
      const known = before.get(id);
      const earlier = known?.startedAt === startedAt ? known.samples.filter(({ at }) => at < now) : [];
      const use = useOf(pod, now);
      return [[id, { startedAt, samples: thinned(use === undefined ? earlier : [...earlier, use], now) }]];
    }),
  );
}

/**
 * Bounds the number of samples: those in one cell of time become one with the highest use, at the latest time. A cell is as
 * long as a 20th to a 40th of its age, and the halves of a cell are the cells that it was before, so that use moves by no more
 * than a cell, however often samples are added.
 */
function thinned(samples: readonly UseSample[], now: number): readonly UseSample[] {
  const kept = new Map<string, UseSample>();
  for (const sample of samples) {
    const ageMs = now - sample.at;
    if (ageMs > MAX_WINDOW_MS) continue;
    const cellMs = CELL_MS * 2 ** Math.max(0, Math.floor(Math.log2(ageMs / SHORT_CELLS_MS)));
    const cell = `${cellMs} ${Math.floor(sample.at / cellMs)}`;
    const other = kept.get(cell);
    kept.set(cell, other === undefined ? sample : highest(sample, other));
  }
  return [...kept.values()];
}

const highest = (later: UseSample, earlier: UseSample): UseSample => ({
  at: later.at,
  gpu: later.gpu === undefined ? undefined : Math.max(later.gpu, earlier.gpu ?? 0),
  cpu: Math.max(later.cpu, earlier.cpu),
  memory: Math.max(later.memory, earlier.memory),
});

/** Samples as JSON: `{POD: {startedAt, samples: [[AT, GPU|null, CPU, MEMORY], ...]}}`. */
export const encodeSamples = (samples: Samples): JsonObject =>
  Object.fromEntries(
    [...samples].map(([id, { startedAt, samples: of }]) => [
      id,
      { startedAt, samples: of.map(({ at, gpu, cpu, memory }) => [at, gpu ?? null, cpu, memory]) },
    ]),
  );

/** Samples of a file. What is not of the form of `encodeSamples` is left out: it is then unknown. */
export const decodeSamples = (document: Json | undefined): Samples =>
  new Map(
    Object.entries(isObject(document) ? document : {}).flatMap(([id, pod]): [string, PodSamples][] => {
      const startedAt = stringAt(pod, 'startedAt');
      if (startedAt === undefined) return [];
      const samples = itemsAt(pod, 'samples').flatMap((item): UseSample[] => {
        const [at, gpu, cpu, memory] = (arrayOf(item) ?? []).map((value) => numberOf(value));
        return at === undefined || cpu === undefined || memory === undefined ? [] : [{ at, gpu, cpu, memory }];
      });
      return [[id, { startedAt, samples: samples.toSorted((a, b) => a.at - b.at) }]];
    }),
  );
