/** The use of pods by their samples. */
import { itemsAt, memberAt, numberAt, numberOf, type Json, type JsonObject, stringAt } from '../../core/json.ts';
import { DEADLINE_ACTIONS, DEADLINE_VARIABLES } from '../deadline.ts';
import { withSeen, type Sample, type SampleKind, type Seen, type Tracks } from './tracks.ts';
import type { EpochMs } from '../../core/unit-types.ts';

/** The use of a pod, in percent: the highest of its GPUs, and what its container takes. */
export interface UseSample extends Sample {
  /** Undefined for a pod without GPUs. */
  readonly gpu: number | undefined;
  readonly cpu: number;
  readonly memory: number;
}

/** What was seen of pods, by `podKey`. */
export type PodTracks = Tracks<UseSample>;

/** `[AT, GPU|null, CPU, MEMORY]`. */
export const USE_SAMPLES: SampleKind<UseSample> = {
  merge: (later, earlier) => ({
    at: later.at,
    gpu: later.gpu === undefined ? undefined : Math.max(later.gpu, earlier.gpu ?? 0),
    cpu: Math.max(later.cpu, earlier.cpu),
    memory: Math.max(later.memory, earlier.memory),
  }),
  encode: ({ at, gpu, cpu, memory }) => [at, gpu ?? null, cpu, memory],
  decode: ([at, gpu, cpu, memory]) =>
    at === undefined || cpu === undefined || memory === undefined ? undefined : { at, gpu, cpu, memory },
};

/** Which start of which pod a track is about. */
export const podKey = (pod: Json): string => `${stringAt(pod, 'id') ?? ''} ${stringAt(pod, 'startedAt') ?? ''}`;

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

/** Adds what a whole list of pods shows now of those that run. */
export const withUse = (before: PodTracks, pods: readonly Json[], now: EpochMs): PodTracks =>
  withSeen(
    before,
    pods.flatMap((pod): Seen<UseSample>[] =>
      stringAt(pod, 'id') === undefined ||
      stringAt(pod, 'startedAt') === undefined ||
      stringAt(pod, 'status') !== 'RUNNING'
        ? []
        : [{ key: podKey(pod), row: rowOf(pod), sample: useOf(pod, now) }],
    ),
    now,
    USE_SAMPLES,
  );

/** The members of a pod that policies look at. Of its variables those of deadlines alone: others may be secrets. */
const ROW_MEMBERS = [
  ...['id', 'name', 'status', 'createdAt', 'startedAt', 'cost', 'locked', 'dataCenterId', 'gpu.id', 'cluster.id'],
  ...DEADLINE_ACTIONS.map((action) => `env.${DEADLINE_VARIABLES[action]}`),
];

function rowOf(pod: Json): JsonObject {
  const row: Record<string, Json> = {};
  for (const path of ROW_MEMBERS) {
    const value = memberAt(pod, path);
    const plain = numberOf(value) ?? (typeof value === 'object' ? undefined : value);
    const [name = '', inner] = path.split('.');
    if (plain === undefined) continue;
    row[name] = inner === undefined ? plain : { ...(row[name] as JsonObject | undefined), [inner]: plain };
  }
  return row;
}
