/** What a policy would have done about pods, by what was seen of them. */
import { numberAt, type Json } from '../../core/json.ts';
import { costOver } from '../../core/units.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { compilePolicy, isAction, type ActingDecision, type Decision } from './decide.ts';
import type { Condition, Policy } from '../policy/rules.ts';
import type { PodTracks, UseSample } from '../samples/use-samples.ts';
import type { Track } from '../samples/tracks.ts';

/** What would have been done about one start of a pod, and what it cost after that. */
export interface WouldHave {
  readonly decision: ActingDecision;
  /** The service's time of the sample at which it would have been done. */
  readonly at: Milliseconds;
  /** US dollars from then until the pod was last seen; undefined where its cost is not known. */
  readonly saved: number | undefined;
}

export interface Replay {
  /** The latest first. */
  readonly done: readonly WouldHave[];
  /** Starts of pods whose samples cannot tell whether a rule applied. */
  readonly unknown: number;
  /** When the first sample was; undefined without one. */
  readonly from: Milliseconds | undefined;
}

/** The conditions that samples of pods can tell. Sums of the account, jobs and what is stored were not kept. */
export const canReplay = (when: Condition): boolean =>
  !['account-per-hour', 'account-month', 'no-jobs', 'unused-storage'].includes(when.kind) &&
  !(when.kind === 'spent' && when.since === 'creation');

/**
 * Decides about each start at the time of each of its samples, with what was known then, until something would have been
 * done. A sample is all that is known: what was between two of them is not seen, and samples that were merged show the
 * highest use, so that nothing is told that was not so.
 */
export function replay(policy: Policy, tracks: PodTracks): Replay {
  const known: Policy = { ...policy, rules: policy.rules.filter(({ when }) => canReplay(when)) };
  const decide = compilePolicy(known);
  const found = [...tracks].map(([key, track]) => replayOne(decide, key, track));
  return {
    done: found.flatMap(({ done }) => done ?? []).toSorted((a, b) => b.at - a.at),
    unknown: found.filter(({ done, isUnknown }) => done === undefined && isUnknown).length,
    from: [...tracks.values()].reduce<number | undefined>(
      (first, { samples }) => earliest(first, samples[0]?.at),
      undefined,
    ),
  };
}

const earliest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

function replayOne(
  decide: ReturnType<typeof compilePolicy>,
  key: string,
  track: Track<UseSample>,
): { readonly done: WouldHave | undefined; readonly isUnknown: boolean } {
  const row: Json = { ...track.row, status: 'RUNNING' };
  let last: Decision | undefined;
  for (const [index, { at }] of track.samples.entries()) {
    const then = { ...track, seenAt: at, samples: track.samples.slice(0, index + 1) };
    const world = { now: at, pods: new Map([[key, then]]), endpoints: new Map() };
    [last] = decide([{ kind: 'pod', row }], world, new Map());
    if (last === undefined || !isAction(last)) continue;
    const cost = numberAt(row, 'cost');
    return {
      done: { decision: last, at, saved: cost === undefined ? undefined : costOver(cost, track.seenAt - at) },
      isUnknown: false,
    };
  }
  return { done: undefined, isUnknown: last?.verdict === 'unknown' };
}
