/**
 * The deadlines of a pod: when a guard stops or terminates it. They are variables of the pod's own environment, so that
 * every machine with a key of the account can keep them.
 */
import { Failure, usage } from '../core/failure.ts';
import { type Json, type JsonObject, memberAt, memberOf, stringAt, stringOf } from '../core/json.ts';
import { formatTimestamp, parseTimestamp } from '../core/text/timestamp.ts';
import { exactDuration, formatDuration, parseDuration } from '../core/units.ts';
import type { EpochMs, Milliseconds } from '../core/unit-types.ts';

/** What a deadline does to its pod. */
export type DeadlineAction = 'stop' | 'terminate';

/** The variable that holds each deadline: a duration such as `4h`, or an RFC 3339 time. */
export const DEADLINE_VARIABLES: Readonly<Record<DeadlineAction, string>> = {
  stop: 'BERTH_STOP_AFTER',
  terminate: 'BERTH_TERMINATE_AFTER',
};

export const DEADLINE_ACTIONS = ['stop', 'terminate'] as const satisfies readonly DeadlineAction[];

/** The value of a variable that says that there is no deadline, whatever a profile or a template gives. */
const NONE = 'none';

/** A deadline of a pod as it is now. */
export interface Deadline {
  readonly action: DeadlineAction;
  /** The value of its variable. */
  readonly given: string;
  /**
   * When it is over; undefined while it does not count: the pod is stopped, is being
   * started again, or was started after that time.
   */
  readonly at: EpochMs | undefined;
  /** The value is neither a duration nor a time: the deadline is never kept. */
  readonly isUnreadable: boolean;
  /** The pod is being started again: when is not known before it runs, and the deadline counts from then. */
  readonly isWaiting: boolean;
}

/** A deadline that counts, and when it is over. */
export interface CountingDeadline {
  readonly action: DeadlineAction;
  readonly at: EpochMs;
}

/** A duration from the start or the creation of the pod, or a time. */
type Limit = { readonly afterMs: Milliseconds } | { readonly at: EpochMs };

/**
 * Reads what a flag or a variable gives: `4h`, `2026-12-01` (its start in UTC), or an RFC 3339 time. `what` names it in
 * messages. Fails with usage (2), for a duration of nothing too.
 */
function parseLimit(text: string, what: string): Limit {
  const trimmed = text.trim();
  if (!/^[\d.]+ *[a-z]/.test(trimmed)) return { at: timeOf(trimmed, what) };
  const afterMs = parseDuration(trimmed, 'h', what);
  if (afterMs <= 0) throw usage(`${what} is over at once: ${JSON.stringify(text)}`, 'Write 4h, 2d, or a time.');
  return { afterMs };
}

function timeOf(text: string, what: string): number {
  try {
    return parseTimestamp(text, what, { now: 0 }).at;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw error.with({ hint: 'Write a duration (4h, 2d), a date (2026-12-01), or a time (2026-12-01T18:00:00Z).' });
  }
}

/** The value of a flag as it is stored: `4h`, a time in UTC, or `none`. Fails with usage (2). */
export function storedDeadline(text: string, what: string): string {
  if (text.trim() === NONE) return NONE;
  const limit = parseLimit(text, what);
  return 'at' in limit ? formatTimestamp(limit.at) : exactDuration(limit.afterMs);
}

/** Whether variables have a deadline for this action. */
export const hasDeadlineTo = (action: DeadlineAction, variables: Json | undefined): boolean =>
  (memberOf(variables, DEADLINE_VARIABLES[action]) ?? NONE) !== NONE;

/** Whether variables have a deadline. */
export const hasDeadline = (variables: Json | undefined): boolean =>
  DEADLINE_ACTIONS.some((action) => hasDeadlineTo(action, variables));

/**
 * Refuses the deadlines of a body's variables that nobody could keep: one that cannot be read, and a time that is over.
 * `now` is the service's time in milliseconds. Fails with usage (2).
 */
export function checkDeadlines(variables: JsonObject, now: EpochMs): void {
  for (const action of DEADLINE_ACTIONS) {
    const name = DEADLINE_VARIABLES[action];
    const text = stringOf(variables[name]);
    if (text === undefined || text === NONE) continue;
    const what = `--${action}-after (${name})`;
    const limit = parseLimit(text, what);
    if ('at' in limit && limit.at <= now)
      throw usage(`${what} is over already: ${text}`, `The service's time is ${formatTimestamp(now)}.`);
  }
}

/** Statuses of a pod that was started: `startedAt` is of this start. While it is being started, it is of the one before. */
const STARTED = ['RUNNING', 'ERROR'];

/** Statuses in which nothing is left to be stopped (specification 3.1). */
const ENDED = ['EXITED', 'TERMINATED'];

/**
 * The deadlines in a pod's environment. A duration to stop counts from `startedAt`, which is new at each start, and from
 * `createdAt` until there was one; one to terminate from `createdAt`.
 */
export const deadlinesOf = (pod: Json): readonly Deadline[] =>
  DEADLINE_ACTIONS.flatMap((action): Deadline[] => {
    const given = stringOf(memberOf(memberAt(pod, 'env'), DEADLINE_VARIABLES[action]));
    if (given === undefined || given === NONE) return [];
    const limit = readLimit(given);
    const at = limit === undefined ? undefined : endOf(pod, action, limit);
    const isWaiting = limit !== undefined && action === 'stop' && isStartedAgain(pod);
    return [{ action, given, at, isUnreadable: limit === undefined, isWaiting }];
  });

/** What another program wrote may be anything. */
function readLimit(given: string): Limit | undefined {
  try {
    return parseLimit(given, 'deadline');
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}

/** Whether a pod is being started, and its `startedAt` is that of the start before. */
function isStartedAgain(pod: Json): boolean {
  const status = stringAt(pod, 'status') ?? '';
  return stringAt(pod, 'startedAt') !== undefined && ![...STARTED, ...ENDED].includes(status);
}

function endOf(pod: Json, action: DeadlineAction, limit: Limit): number | undefined {
  const status = stringAt(pod, 'status') ?? '';
  if (status === 'TERMINATED' || (action === 'stop' && ENDED.includes(status))) return undefined;
  if (action === 'stop' && isStartedAgain(pod)) return undefined;
  const startedAt = stringAt(pod, 'startedAt');
  const from = Date.parse((action === 'stop' ? startedAt : undefined) ?? stringAt(pod, 'createdAt') ?? '');
  if ('afterMs' in limit) return Number.isNaN(from) ? undefined : from + limit.afterMs;
  // A pod that was started after that time is not meant any more.
  return action === 'stop' && from >= limit.at ? undefined : limit.at;
}

/**
 * The first deadline in the variables of a pod that is started now, and the milliseconds until then; undefined without
 * one. A start takes time, which is not paid before there is a machine.
 */
export function firstDeadline(
  variables: Json | undefined,
  now: EpochMs,
): { readonly action: DeadlineAction; readonly spanMs: Milliseconds } | undefined {
  const all = DEADLINE_ACTIONS.flatMap((action) => {
    const limit = readLimit(stringOf(memberOf(variables, DEADLINE_VARIABLES[action])) ?? NONE);
    return limit === undefined ? [] : [{ action, spanMs: 'at' in limit ? limit.at - now : limit.afterMs }];
  });
  return all.toSorted((a, b) => a.spanMs - b.spanMs)[0];
}

/** The deadlines that count now, the one that is over first at the beginning. */
export const countingDeadlines = (pod: Json): readonly CountingDeadline[] =>
  deadlinesOf(pod)
    .flatMap(({ action, at }) => (at === undefined ? [] : [{ action, at }]))
    .sort((a, b) => a.at - b.at);

/** The deadline of a pod that is over first; undefined where none counts. */
export const nextDeadline = (pod: Json): CountingDeadline | undefined => countingDeadlines(pod)[0];

/** Milliseconds before its end from which a deadline is shown as a warning. */
export const SOON_MS = 600_000;

/** `stops in 3h 12m`, `stop overdue by 5m`. `now` is the service's time. */
export const deadlineText = ({ action, at }: CountingDeadline, now: EpochMs): string =>
  at > now ? `${action}s in ${formatDuration(at - now)}` : `${action} overdue by ${formatDuration(now - at)}`;

/** The deadline of a pod that counts from when it runs; undefined where none waits for that. */
export const waitingDeadline = (pod: Json): Deadline | undefined => deadlinesOf(pod).find(({ isWaiting }) => isWaiting);

/** `stop after 4h, counted from when it runs`. */
export const waitingText = (action: DeadlineAction, after: string): string =>
  `${action} after ${after}, counted from when it runs`;
