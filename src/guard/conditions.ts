import { type Json, memberAt, numberAt, stringAt } from '../core/json.ts';
import { costOver, formatDollars, formatDuration } from '../core/units.ts';
import { countingDeadlines, deadlinesOf, deadlineText, hasDeadline } from './deadline.ts';
import { findIdle, type Finding } from './idle.ts';
import type { Condition, GuardAction } from './rules.ts';
import type { Samples } from './samples.ts';

/** An amount of the account in US dollars; `atLeast` when a part of it is not known. */
export interface AccountAmount {
  readonly dollars: number;
  readonly atLeast: boolean;
}

/** What conditions are decided from, beside the pod. */
export interface World {
  /** The service's time in milliseconds. */
  readonly now: number;
  readonly samples: Samples;
  /** Undefined where it could not be read, or is not asked for. */
  readonly perHour: AccountAmount | undefined;
  readonly month: AccountAmount | undefined;
}

/** A finding, and the action that the condition brings itself. */
export type Found = Finding & { readonly action?: GuardAction };

/** Whether a condition is met for a pod. A pod that is stopped meets none that is about running. */
export function evaluate(when: Condition, pod: Json, world: World): Found {
  const { now } = world;
  const runsSince = isRunning(pod) ? timeAt(pod, 'startedAt') : undefined;
  switch (when.kind) {
    case 'deadline':
      return overdue(pod, now);
    case 'age':
      return longerThan(timeAt(pod, 'createdAt'), when.ms, now, 'created');
    case 'running':
      return isRunning(pod) ? longerThan(runsSince, when.ms, now, 'started') : NOT_RUNNING;
    case 'idle':
      return idle(pod, when, world, runsSince);
    case 'no-deadline':
      return hasDeadline(memberAt(pod, 'env'))
        ? { state: 'not-met', why: 'it has a deadline' }
        : { state: 'met', why: 'it has no deadline' };
    case 'spent':
      return isRunning(pod) ? spent(pod, when.dollars, runsSince, now) : NOT_RUNNING;
    case 'account-per-hour':
      return above(world.perHour, when.dollars, 'an hour');
    case 'account-month':
      return above(world.month, when.dollars, 'this month');
  }
}

const NOT_RUNNING: Finding = { state: 'not-met', why: 'it does not run' };

const isRunning = (pod: Json): boolean => memberAt(pod, 'status') === 'RUNNING';

function timeAt(pod: Json, member: string): number | undefined {
  const at = Date.parse(stringAt(pod, member) ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** The deadline that is over, the one to terminate first: it ends everything that the other one does. */
function overdue(pod: Json, now: number): Found {
  const over = countingDeadlines(pod)
    .filter(({ at }) => at <= now)
    .toSorted((a, b) => Number(b.action === 'terminate') - Number(a.action === 'terminate'))[0];
  if (over !== undefined) return { state: 'met', why: deadlineText(over, now), action: over.action };
  const unreadable = deadlinesOf(pod).find((deadline) => deadline.isUnreadable);
  if (unreadable !== undefined)
    return { state: 'unknown', why: `its deadline to ${unreadable.action} cannot be read: ${unreadable.given}` };
  return { state: 'not-met', why: 'no deadline is over' };
}

function longerThan(since: number | undefined, ms: number, now: number, word: string): Finding {
  if (since === undefined) return { state: 'unknown', why: `when it was ${word} is not known` };
  const why = `${word} ${formatDuration(Math.max(0, now - since))} ago`;
  return { state: now - since > ms ? 'met' : 'not-met', why };
}

/** A pod in ERROR that is paid counts as idle: nothing runs in it. */
function idle(
  pod: Json,
  { limits }: Extract<Condition, { kind: 'idle' }>,
  { now, samples }: World,
  runsSince: number | undefined,
): Finding {
  if (memberAt(pod, 'status') === 'ERROR')
    return (numberAt(pod, 'cost') ?? 0) > 0
      ? { state: 'met', why: 'it is in ERROR and paid' }
      : { state: 'not-met', why: 'it is in ERROR and costs nothing' };
  if (!isRunning(pod)) return NOT_RUNNING;
  if (runsSince === undefined) return { state: 'unknown', why: 'when it was started is not known' };
  const known = samples.get(stringAt(pod, 'id') ?? '');
  const own = known?.startedAt === stringAt(pod, 'startedAt') ? (known?.samples ?? []) : [];
  return findIdle(own, runsSince, limits, now);
}

function spent(pod: Json, dollars: number, runsSince: number | undefined, now: number): Finding {
  const cost = numberAt(pod, 'cost');
  if (cost === undefined || runsSince === undefined) return { state: 'unknown', why: 'what it cost is not known' };
  const amount = costOver(cost, Math.max(0, now - runsSince));
  return { state: amount > dollars ? 'met' : 'not-met', why: `it cost ${formatDollars(amount)} since its start` };
}

/** A sum that is too low because a part is missing decides only when it is above the limit all the same. */
function above(amount: AccountAmount | undefined, dollars: number, per: string): Finding {
  if (amount === undefined) return { state: 'unknown', why: `what the account costs ${per} is not known` };
  const why = `the account costs ${amount.atLeast ? 'at least ' : ''}${formatDollars(amount.dollars)} ${per}`;
  if (amount.dollars > dollars) return { state: 'met', why };
  return { state: amount.atLeast ? 'unknown' : 'not-met', why };
}
