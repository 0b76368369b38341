/** In the pod's own environment, so every machine with a key of the account can apply them. */
import { Failure, usage } from '../core/failure.ts';
import { type Json, type JsonObject, memberAt, memberOf, stringAt, stringOf } from '../core/json.ts';
import { exactDuration, formatDuration, formatTimestamp, parseDuration, parseTimestamp } from '../core/units.ts';
import { type EpochMs, type Milliseconds, MINUTE_MS } from '../core/unit-types.ts';

export type DeadlineAction = 'stop' | 'terminate';

/** A duration such as `4h`, or an RFC 3339 time. */
export const DEADLINE_VARIABLES: Readonly<Record<DeadlineAction, string>> = {
  stop: 'BERTH_STOP_AFTER',
  terminate: 'BERTH_TERMINATE_AFTER',
};

export const DEADLINE_ACTIONS = ['stop', 'terminate'] as const satisfies readonly DeadlineAction[];

/** No deadline, whatever a profile or template sets. */
const NONE = 'none';

export interface Deadline {
  readonly action: DeadlineAction;
  readonly given: string;
  /** Undefined while it does not count: stopped, restarting, or started after that time. */
  readonly at: EpochMs | undefined;
  /** Neither a duration nor a time: ignored by guards. */
  readonly isUnreadable: boolean;
}

type CountingDeadline = Pick<Deadline, 'action'> & { readonly at: EpochMs };

type Limit = { readonly afterMs: Milliseconds } | { readonly at: EpochMs };

/** `4h`, `2026-12-01` (UTC midnight) or RFC 3339. Usage (2), for a zero duration too. */
function parseLimit(text: string, what: string): Limit {
  const trimmed = text.trim();
  if (!/^[\d.]+ *[a-z]/.test(trimmed)) return { at: parseTimestamp(trimmed, what, { now: 0 }).at };
  const afterMs = parseDuration(trimmed, 'h', what);
  if (afterMs <= 0) throw usage(`${what} is over at once: ${JSON.stringify(text)}`, 'Write 4h, 2d, or a time.');
  return { afterMs };
}

/** `4h`, a time in UTC, or `none`. Usage (2). */
export function storedDeadline(text: string, what: string): string {
  if (text.trim() === NONE) return NONE;
  const limit = parseLimit(text, what);
  return 'at' in limit ? formatTimestamp(limit.at) : exactDuration(limit.afterMs);
}

export const hasDeadlineTo = (action: DeadlineAction, variables: Json | undefined): boolean =>
  (memberOf(variables, DEADLINE_VARIABLES[action]) ?? NONE) !== NONE;

export const hasDeadline = (variables: Json | undefined): boolean =>
  DEADLINE_ACTIONS.some((action) => hasDeadlineTo(action, variables));

/** Usage (2) for unreadable deadlines and times that are past. `now`: the service's time. */
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

/** `startedAt` is of this start; while starting, it is of the one before. */
const STARTED = ['RUNNING', 'ERROR'];

/** Nothing left to stop (specification 3.1). */
const ENDED = ['EXITED', 'TERMINATED'];

/** A stop counts from `startedAt` (`createdAt` before the first start), terminate from `createdAt`. */
export const deadlinesOf = (pod: Json): readonly Deadline[] =>
  DEADLINE_ACTIONS.flatMap((action): Deadline[] => {
    const given = stringOf(memberOf(memberAt(pod, 'env'), DEADLINE_VARIABLES[action]));
    if (given === undefined || given === NONE) return [];
    const limit = readLimit(given);
    return [{ action, given, at: limit && endOf(pod, action, limit), isUnreadable: limit === undefined }];
  });

/** The value may come from another program. */
function readLimit(given: string): Limit | undefined {
  try {
    return parseLimit(given, 'deadline');
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}

function endOf(pod: Json, action: DeadlineAction, limit: Limit): EpochMs | undefined {
  const [status, startedAt] = [stringAt(pod, 'status') ?? '', stringAt(pod, 'startedAt')];
  const isStopped = ENDED.includes(status) || (startedAt !== undefined && !STARTED.includes(status));
  if (status === 'TERMINATED' || (action === 'stop' && isStopped)) return undefined;
  const from = Date.parse((action === 'stop' ? startedAt : undefined) ?? stringAt(pod, 'createdAt') ?? '');
  if ('afterMs' in limit) return Number.isNaN(from) ? undefined : from + limit.afterMs;
  // Does not apply to a pod started after that time.
  return action === 'stop' && from >= limit.at ? undefined : limit.at;
}

/** For a pod started now. Its start time is not charged before there is a machine. */
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

/** The first to expire comes first. */
export const countingDeadlines = (pod: Json): readonly CountingDeadline[] =>
  deadlinesOf(pod)
    .flatMap(({ action, at }) => (at === undefined ? [] : [{ action, at }]))
    .sort((a, b) => a.at - b.at);

/** The first to expire; undefined if none counts. */
export const nextDeadline = (pod: Json): CountingDeadline | undefined => countingDeadlines(pod)[0];

/** How much later than its own time limit a guard ends a run whose machine is gone. */
export const GRACE_MS: Milliseconds = 15 * MINUTE_MS;

/** From this long before its end, a deadline is shown as a warning. */
export const SOON_MS = 600_000;

/** `now`: the service's time. */
export const deadlineText = ({ action, at }: CountingDeadline, now: EpochMs): string =>
  at > now ? `${action}s in ${formatDuration(at - now)}` : `${action} overdue by ${formatDuration(now - at)}`;
