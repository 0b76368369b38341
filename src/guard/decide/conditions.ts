import { type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { costOver, formatDollars, formatDuration } from '../../core/units.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import {
  countingDeadlines,
  deadlinesOf,
  deadlineText,
  hasDeadline,
  waitingDeadline,
  waitingText,
} from '../deadline.ts';
import { findIdle, findQuiet, type Finding } from '../samples/idle.ts';
import { endpointKey, type EndpointTracks } from '../samples/job-samples.ts';
import type { Condition, GuardAction } from '../policy/rules.ts';
import { podKey, type PodTracks } from '../samples/use-samples.ts';

/** An amount of the account in US dollars; `atLeast` when a part of it is not known. */
export interface AccountAmount {
  readonly dollars: number;
  readonly atLeast: boolean;
}

/** What conditions ask of the account. Undefined where it could not be read, or is not asked for. */
export interface AccountFacts {
  readonly perHour?: AccountAmount | undefined;
  readonly month?: AccountAmount | undefined;
  /** What each pod cost since its creation, by its id, in US dollars, as far as it is on the bill. */
  readonly billed?: ReadonlyMap<string, number> | undefined;
  /** What is stored and not used, by its id: why, and what it costs. */
  readonly unused?: ReadonlyMap<string, string> | undefined;
}

/** What conditions are decided from, beside the row. */
export interface World extends AccountFacts {
  /** The service's time. */
  readonly now: Milliseconds;
  readonly pods: PodTracks;
  readonly endpoints: EndpointTracks;
}

/** A finding, and the action that the condition brings itself; `weaker` is what is left to do where that is not allowed. */
export type Found = Finding & { readonly action?: GuardAction; readonly weaker?: Found };

/**
 * Whether a condition is met for a row of its kind. A pod that is stopped meets none that is about running; one that is paid
 * without running, as in ERROR, meets those about time and cost.
 */
export function evaluate(when: Condition, pod: Json, world: World): Found {
  const { now } = world;
  const runsSince = isRunning(pod) ? timeAt(pod, 'startedAt') : paidSince(pod);
  const isPaid = isRunning(pod) || runsSince !== undefined;
  switch (when.kind) {
    case 'deadline':
      return overdue(pod, now);
    case 'age':
      return longerThan(timeAt(pod, 'createdAt'), when.ms, now, 'created');
    case 'running':
      return isPaid ? longerThan(runsSince, when.ms, now, 'started') : NOT_RUNNING;
    case 'idle':
      return idle(pod, when, world, runsSince);
    case 'no-deadline':
      return hasDeadline(memberAt(pod, 'env'))
        ? { state: 'not-met', why: 'it has a deadline' }
        : { state: 'met', why: 'it has no deadline' };
    case 'spent':
      return isPaid ? spent(pod, when, runsSince, world) : NOT_RUNNING;
    case 'account-per-hour':
      return above(world.perHour, when.dollars, 'an hour');
    case 'account-month':
      return above(world.month, when.dollars, 'this month');
    case 'no-jobs':
      return withoutJobs(pod, when.ms, world);
    case 'unused-storage': {
      const why = world.unused?.get(stringAt(pod, 'id') ?? '');
      return why === undefined ? { state: 'not-met', why: 'it is used' } : { state: 'met', why };
    }
  }
}

const NOT_RUNNING: Finding = { state: 'not-met', why: 'it does not run' };

const isRunning = (pod: Json): boolean => memberAt(pod, 'status') === 'RUNNING';

/**
 * Since when a pod that does not run is paid: in ERROR since its start, and since its creation where it never ran. While it is
 * started again `startedAt` is of the start before, so that this is not known.
 */
function paidSince(pod: Json): number | undefined {
  if ((numberAt(pod, 'cost') ?? 0) === 0) return undefined;
  const startedAt = timeAt(pod, 'startedAt');
  if (startedAt === undefined) return timeAt(pod, 'createdAt');
  return memberAt(pod, 'status') === 'ERROR' ? startedAt : undefined;
}

function timeAt(pod: Json, member: string): number | undefined {
  const at = Date.parse(stringAt(pod, member) ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** The deadline that is over, the one to terminate first: it ends everything that the other one does. */
function overdue(pod: Json, now: EpochMs): Found {
  const [first, second] = countingDeadlines(pod)
    .filter(({ at }) => at <= now)
    .toSorted((a, b) => Number(b.action === 'terminate') - Number(a.action === 'terminate'))
    .map((over): Found => {
      const late = costOver(numberAt(pod, 'cost') ?? 0, now - over.at);
      const cost = late > 0 ? `, which cost ${formatDollars(late)}` : '';
      return { state: 'met', why: `${deadlineText(over, now)}${cost}`, action: over.action };
    });
  if (first !== undefined) return { ...first, ...(second === undefined ? {} : { weaker: second }) };
  const unreadable = deadlinesOf(pod).find((deadline) => deadline.isUnreadable);
  if (unreadable !== undefined)
    return { state: 'unknown', why: `its deadline to ${unreadable.action} cannot be read: ${unreadable.given}` };
  const waiting = waitingDeadline(pod);
  if (waiting !== undefined)
    return { state: 'unknown', why: `it is being started: ${waitingText(waiting.action, waiting.given)}` };
  return { state: 'not-met', why: 'no deadline is over' };
}

function longerThan(since: number | undefined, ms: Milliseconds, now: EpochMs, word: string): Finding {
  if (since === undefined) return { state: 'unknown', why: `when it was ${word} is not known` };
  const why = `${word} ${formatDuration(Math.max(0, now - since))} ago`;
  return { state: now - since > ms ? 'met' : 'not-met', why };
}

/** A pod in ERROR that is paid counts as idle: nothing runs in it. */
function idle(
  pod: Json,
  { limits }: Extract<Condition, { kind: 'idle' }>,
  { now, pods }: World,
  runsSince: number | undefined,
): Finding {
  if (memberAt(pod, 'status') === 'ERROR')
    return (numberAt(pod, 'cost') ?? 0) > 0
      ? { state: 'met', why: 'in ERROR and paid' }
      : { state: 'not-met', why: 'in ERROR and costs nothing' };
  if (!isRunning(pod)) return NOT_RUNNING;
  if (runsSince === undefined) return { state: 'unknown', why: 'when it was started is not known' };
  return findIdle(pods.get(podKey(pod))?.samples ?? [], runsSince, limits, now);
}

/** A load balancer has requests, which nothing counts. */
function withoutJobs(endpoint: Json, forMs: Milliseconds, { now, endpoints }: World): Finding {
  const workers = numberAt(endpoint, 'workers.min');
  if (workers === 0) return { state: 'not-met', why: 'it keeps no worker' };
  const since = timeAt(endpoint, 'createdAt');
  if (workers === undefined || since === undefined)
    return { state: 'unknown', why: 'how many workers it keeps, or since when, is not known' };
  if (memberAt(endpoint, 'type') !== 'QUEUE')
    return { state: 'unknown', why: 'its requests are not jobs, and are not counted' };
  const samples = endpoints.get(endpointKey(endpoint))?.samples ?? [];
  const useIn = ({ hadJobs }: { readonly hadJobs: boolean }) => (hadJobs ? 'had jobs' : undefined);
  const found = findQuiet({ samples, since, forMs, what: 'whether it had jobs', useIn }, now);
  return found.state === 'met'
    ? {
        ...found,
        why: `it keeps ${workers} ${workers === 1 ? 'worker' : 'workers'}, and had no job for ${formatDuration(forMs)}`,
      }
    : found;
}

/** The bill of a pod may be late and is at least as much; since its creation it cost at least as much as since its start. */
function spent(
  pod: Json,
  { dollars, since }: Extract<Condition, { kind: 'spent' }>,
  runsSince: number | undefined,
  { now, billed }: World,
): Finding {
  const cost = numberAt(pod, 'cost');
  const sinceStart =
    cost === undefined || runsSince === undefined ? undefined : costOver(cost, Math.max(0, now - runsSince));
  const onBill = since === 'start' ? undefined : billed?.get(stringAt(pod, 'id') ?? '');
  const amounts = [sinceStart, onBill].filter((amount) => amount !== undefined);
  if (amounts.length === 0) return { state: 'unknown', why: 'what it cost is not known' };
  const amount = Math.max(...amounts);
  if (amount > dollars) return { state: 'met', why: `it cost ${formatDollars(amount)} since its ${since}` };
  if (sinceStart === undefined || (since === 'creation' && billed === undefined))
    return { state: 'unknown', why: `what it cost since its ${since} is not known` };
  return { state: 'not-met', why: `it cost ${formatDollars(amount)} since its ${since}` };
}

/** A sum that is too low because a part is missing decides only when it is above the limit all the same. */
function above(amount: AccountAmount | undefined, dollars: number, per: string): Finding {
  if (amount === undefined) return { state: 'unknown', why: `what the account costs ${per} is not known` };
  const why = `the account costs ${amount.atLeast ? 'at least ' : ''}${formatDollars(amount.dollars)} ${per}`;
  if (amount.dollars > dollars) return { state: 'met', why };
  return { state: amount.atLeast ? 'unknown' : 'not-met', why };
}
