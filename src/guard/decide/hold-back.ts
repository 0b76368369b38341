/** What keeps a guard from acting in a sweep: clocks that disagree, and too many pods at once. */
import { HOUR_MS } from '../../core/durations.ts';
import { usage, type Failure } from '../../core/failure.ts';
import { type Json, stringAt } from '../../core/json.ts';
import { formatDuration } from '../../core/units.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { CAN_STOP, isAction, type Decision } from './decide.ts';
import { DEADLINE_RULE } from '../policy/policy.ts';
import type { Policy } from '../policy/rules.ts';

/** How much the difference of the two clocks may change between two sweeps, and be in the first one. */
const MAX_JUMP_MS: Milliseconds = 300_000;
const MAX_DRIFT_MS = HOUR_MS;

/**
 * Where the service's clock and that of this machine have moved apart, one of them is wrong: nothing is done in this sweep.
 * `driftMs` is how much the service's clock is ahead, and `before` how much it was in the last sweep.
 */
export function heldByClocks(
  decisions: readonly Decision[],
  before: number | undefined,
  driftMs: Milliseconds,
): readonly Decision[] {
  const movedMs = driftMs - (before ?? 0);
  if (Math.abs(movedMs) <= (before === undefined ? MAX_DRIFT_MS : MAX_JUMP_MS)) return decisions;
  const held = `the clocks of the service and of this machine ${before === undefined ? 'are' : 'moved'} ${formatDuration(Math.abs(movedMs))} apart`;
  return decisions.map((decision) => (isAction(decision) ? { ...decision, action: 'report', held } : decision));
}

/**
 * A policy that is wrong must not end a fleet. What rules would end is held where that is too much; pods whose own deadline
 * is over are ended all the same, and are not counted for the half of those that run. One pod is never too many. Fails with usage (2) where nothing is left to be done.
 */
export function limitActions(
  decisions: readonly Decision[],
  pods: readonly Json[],
  { maxActions }: Policy,
): { readonly decisions: readonly Decision[]; readonly refused: Failure | undefined } {
  const wanted = decisions.filter(isAction);
  const byRules = wanted.filter(({ rule }) => rule !== DEADLINE_RULE);
  const running = pods.filter((pod) => CAN_STOP.includes(stringAt(pod, 'status') ?? '')).length;
  const podsByRules = byRules.filter(({ kind }) => kind === 'pod').length;
  const isHalf = podsByRules > 1 && podsByRules > running / 2;
  if (wanted.length <= maxActions && !isHalf) return { decisions, refused: undefined };
  const deadlines = wanted.length - byRules.length;
  const isAll = deadlines === 0 || deadlines > maxActions;
  const why = isHalf
    ? `more than half of those that run or start (${running})`
    : `more than --max-actions ${maxActions}`;
  const count = isAll ? wanted.length : byRules.length;
  const refused = usage(
    `${count} ${nounOf(wanted)}${count === 1 ? '' : 's'} would be ${wanted.some(({ kind }) => kind !== 'pod') ? 'changed' : 'ended'} at once, ${why}: ${isAll ? 'nothing was done' : 'only deadlines were kept'}`,
    'Look at them with the same flags of guard check; --yes does it all the same.',
  );
  if (isAll) throw refused;
  const hold = (decision: Decision): Decision =>
    isAction(decision) && decision.rule !== DEADLINE_RULE
      ? { ...decision, action: 'report', held: `too many at once: ${why}` }
      : decision;
  return { decisions: decisions.map(hold), refused };
}

const nounOf = (decisions: readonly Decision[]): string =>
  decisions.every(({ kind }) => kind === decisions[0]?.kind) ? (decisions[0]?.kind ?? 'pod') : 'pod and endpoint';
