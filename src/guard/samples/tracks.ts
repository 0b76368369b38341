/** What was seen of pods and endpoints between sweeps of a guard. The service gives momentary values only. */
import { DAY_MS, MINUTE_MS } from '../../core/durations.ts';
import {
  arrayOf,
  isObject,
  itemsAt,
  memberAt,
  numberAt,
  numberOf,
  type Json,
  type JsonObject,
} from '../../core/json.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';

/** What was seen at one time: the service's. */
export interface Sample {
  readonly at: EpochMs;
}

/** One life of a pod or an endpoint: from one start to the next. */
export interface Track<S extends Sample> {
  /** The members that policies look at, as they were last seen. */
  readonly row: JsonObject;
  /** When it was last seen: the service's time. */
  readonly seenAt: EpochMs;
  /** The oldest first. */
  readonly samples: readonly S[];
}

/** Tracks by a key that says which life of what they are about. */
export type Tracks<S extends Sample> = ReadonlyMap<string, Track<S>>;

/** How samples of one kind are merged and stored. */
export interface SampleKind<S extends Sample> {
  /** The one that stands for both, at the time of the later one: it shows use where one of them does. */
  readonly merge: (later: S, earlier: S) => S;
  readonly encode: (sample: S) => readonly (number | null)[];
  /** Undefined for what is not of the form of `encode`. */
  readonly decode: (values: readonly (number | undefined)[]) => S | undefined;
}

/** What one sweep saw of one life; without a sample where nothing is known of its use. */
export interface Seen<S extends Sample> {
  readonly key: string;
  readonly row: JsonObject;
  readonly sample: S | undefined;
}

/** The longest time that samples are kept. */
const MAX_WINDOW_MS: Milliseconds = 7 * DAY_MS;

/** The most lives that are kept after they ended; the oldest are dropped. */
const MAX_ENDED = 500;

/** The length of the shortest cell, and the age up to which cells are so short. */
const CELL_MS: Milliseconds = MINUTE_MS;
const SHORT_CELLS_MS = 20 * CELL_MS;

/**
 * Adds what a whole list shows now. Lives that are not in it have ended: they are kept for the history, for as long as
 * samples are. Samples of the future are dropped: the clock was set back.
 */
export function withSeen<S extends Sample>(
  before: Tracks<S>,
  seen: readonly Seen<S>[],
  now: EpochMs,
  { merge }: SampleKind<S>,
): Tracks<S> {
  const live = seen.map(({ key, row, sample }): [string, Track<S>] => {
    const earlier = (before.get(key)?.samples ?? []).filter(({ at }) => at < now);
    const samples = thinned(sample === undefined ? earlier : [...earlier, sample], now, merge);
    return [key, { row, seenAt: now, samples }];
  });
  const keys = new Set(seen.map(({ key }) => key));
  const ended = [...before]
    .filter(([key, { seenAt }]) => !keys.has(key) && seenAt < now && now - seenAt <= MAX_WINDOW_MS)
    .toSorted(([, one], [, other]) => other.seenAt - one.seenAt)
    .slice(0, MAX_ENDED);
  return new Map([...live, ...ended]);
}

/**
 * Bounds the number of samples: those in one cell of time become one. A cell is as long as a 20th to a 40th of its age, and
 * the halves of a cell are the cells that it was before, so that use moves by no more than a cell, however often samples
 * are added.
 */
function thinned<S extends Sample>(samples: readonly S[], now: EpochMs, merge: SampleKind<S>['merge']): readonly S[] {
  const kept: S[] = [];
  let cellEnd = Number.NEGATIVE_INFINITY;
  for (const sample of samples) {
    const ageMs = now - sample.at;
    if (ageMs > MAX_WINDOW_MS) continue;
    // The oldest comes first: those of one cell are neighbours.
    const other = sample.at < cellEnd ? kept.pop() : undefined;
    if (other === undefined) {
      const cellMs = CELL_MS * 2 ** Math.max(0, Math.floor(Math.log2(ageMs / SHORT_CELLS_MS)));
      cellEnd = (Math.floor(sample.at / cellMs) + 1) * cellMs;
    }
    kept.push(other === undefined ? sample : merge(sample, other));
  }
  return kept;
}

/** Tracks as JSON: `{KEY: {row, seenAt, samples: [[...], ...]}}`. */
export const encodeTracks = <S extends Sample>(tracks: Tracks<S>, { encode }: SampleKind<S>): JsonObject =>
  Object.fromEntries(
    [...tracks].map(([key, { samples, ...rest }]) => [key, { ...rest, samples: samples.map(encode) }]),
  );

/** Tracks of a file. What is not of the form of `encodeTracks` is left out: it is then unknown. */
export const decodeTracks = <S extends Sample>(
  document: Json | undefined,
  { decode }: SampleKind<S>,
): ReadonlyMap<string, Track<S>> =>
  new Map(
    Object.entries(isObject(document) ? document : {}).flatMap(([key, track]): [string, Track<S>][] => {
      const [row, seenAt] = [memberAt(track, 'row'), numberAt(track, 'seenAt')];
      if (!isObject(row) || seenAt === undefined) return [];
      const samples = itemsAt(track, 'samples').flatMap(
        (item) => decode((arrayOf(item) ?? []).map((value) => numberOf(value))) ?? [],
      );
      return [[key, { row, seenAt, samples: samples.toSorted((a, b) => a.at - b.at) }]];
    }),
  );
