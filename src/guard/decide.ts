/** Which pods a guard ends, and why. Nothing here reads or sends. */
import { encodeJson, type Json, memberAt, numberAt, numberOf, stringAt, stringOf, itemsAt } from '../core/json.ts';
import { compileGlobs } from '../core/patterns.ts';
import { DAY_MS, type EpochMs, type Milliseconds } from '../core/unit-types.ts';
import { formatDollars, formatDuration } from '../core/units.ts';
import { countingDeadlines, deadlinesOf, deadlineText, type DeadlineAction } from './deadline.ts';

/** All but `deadline` are flags. */
export const RULES = ['deadline', 'idle', 'max-age', 'max-running', 'budget'] as const;

/** `unknown`: whether a rule applies cannot be known. */
export const VERDICTS = ['over', 'exempt', 'unknown'] as const;

export const GUARD_ACTIONS = ['report', 'stop', 'terminate'] as const;

export interface Policy {
  readonly watch: IdleWatch | undefined;
  readonly maxAge: Milliseconds | undefined;
  readonly maxRunning: Milliseconds | undefined;
  /** US dollars of the account per month (UTC). */
  readonly budget: number | undefined;
  /** Name patterns; empty for all pods. */
  readonly match: readonly string[];
  /** For limits; each deadline has its own action. */
  readonly action: DeadlineAction;
  readonly allowTerminate: boolean;
}

export interface Facts {
  /** The service's time. */
  readonly now: EpochMs;
  /** US dollars of the account this month; undefined if unknown. */
  readonly spent: number | undefined;
}

export interface Decision {
  readonly pod: Json;
  readonly rule: (typeof RULES)[number];
  /** `exempt`: a rule applies, but a lock or a cluster protects the pod. */
  readonly verdict: (typeof VERDICTS)[number];
  readonly action: (typeof GUARD_ACTIONS)[number];
  /** Without a final period. */
  readonly why: string;
  /** Why less is done than the rule says. */
  readonly held?: string | undefined;
}

export type ActingDecision = Decision & { readonly action: DeadlineAction };

export const isActing = (decision: Decision): decision is ActingDecision => decision.action !== 'report';

/** Strongest decision; undefined if no rule applies. Call again right before acting. Usage (2). */
export function compilePolicy(policy: Policy): (pod: Json, facts: Facts) => Decision | undefined {
  const isMatch = policy.match.length === 0 ? () => true : compileGlobs(policy.match, '--match');
  const { watch, maxAge, maxRunning, budget } = policy;
  const hasLimits = [watch, maxAge, maxRunning, budget].some((limit) => limit !== undefined);
  return (pod, facts) => {
    const isLimited = hasLimits && isMatch(stringAt(pod, 'name') ?? '');
    const doubt = doubtOf(pod, facts.now);
    if (doubt !== undefined) {
      if (statusOf(pod) === 'TERMINATED' || (deadlinesOf(pod).length === 0 && !isLimited)) return undefined;
      return { pod, rule: 'deadline', verdict: 'unknown', action: 'report', why: doubt };
    }
    const found = [...overdue(pod, facts.now), ...(isLimited ? limitsOf(pod, policy, facts) : [])];
    const [strongest] = found
      .flatMap((each) => decisionOf(pod, each, policy))
      .toSorted((a, b) => rankOf(b) - rankOf(a));
    const exemption = strongest?.verdict === 'over' ? exemptionOf(pod, facts.now) : undefined;
    if (strongest === undefined || exemption === undefined) return strongest;
    return { ...strongest, verdict: 'exempt', action: 'report', held: exemption };
  };
}

const rankOf = ({ verdict, action }: Decision): number =>
  (verdict === 'over' ? GUARD_ACTIONS.length : 0) + GUARD_ACTIONS.indexOf(action);

/** Unusual forms of the service's values count too. */
export function exemptionOf(pod: Json, now: EpochMs): string | undefined {
  const locked = memberAt(pod, 'locked') ?? false;
  if (locked !== false && locked !== '' && numberOf(locked) !== 0) return 'it is locked';
  return (memberAt(pod, 'cluster') ?? null) === null ? doubtOf(pod, now) : 'it is a member of a cluster';
}

/** No pods existed before. */
const FIRST_TIME: EpochMs = Date.UTC(2015, 0);

/** Impossible times: nothing is done then. */
function doubtOf(pod: Json, now: EpochMs): string | undefined {
  const wrong = ['createdAt', 'startedAt'].find((member) => {
    const value = memberAt(pod, member) ?? null;
    return value !== null && !isPlausible(value, now);
  });
  return wrong === undefined ? undefined : `its ${wrong} cannot be right: ${encodeJson(memberAt(pod, wrong) ?? null)}`;
}

function isPlausible(value: Json, now: EpochMs): boolean {
  const text = stringOf(value) ?? '';
  const at = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? Date.parse(text) : NaN;
  return at >= FIRST_TIME && at <= now + DAY_MS;
}

type Found = Finding & Pick<Decision, 'rule'> & { readonly action: DeadlineAction };

const statusOf = (pod: Json): string => stringAt(pod, 'status') ?? '';
const isPaid = (pod: Json): boolean => (numberAt(pod, 'cost') ?? 0) > 0;

function overdue(pod: Json, now: EpochMs): readonly Found[] {
  const over = countingDeadlines(pod).filter(({ at }) => at <= now);
  if (over.length > 0)
    return over.map((each) => ({ rule: 'deadline', ...each, state: 'met', why: deadlineText(each, now) }));
  return deadlinesOf(pod)
    .filter(({ isUnreadable }) => isUnreadable)
    .map(({ action, given }) => {
      return { rule: 'deadline', action, state: 'unknown', why: `its deadline to ${action} cannot be read: ${given}` };
    });
}

/** Running limits ignore stopped pods, but not those charged without running (ERROR). */
function limitsOf(pod: Json, { action, ...policy }: Policy, { now, spent }: Facts): readonly Found[] {
  const isRunning = statusOf(pod) === 'RUNNING';
  const since = isRunning ? timeAt(pod, 'startedAt') : paidSince(pod);
  const findings: readonly (readonly [Found['rule'], Finding | undefined])[] = [
    ['idle', idle(pod, policy.watch, now)],
    ['max-age', longerThan(timeAt(pod, 'createdAt'), policy.maxAge, now, 'created')],
    [
      'max-running',
      isRunning || since !== undefined ? longerThan(since, policy.maxRunning, now, 'started') : undefined,
    ],
    ['budget', overBudget(spent, policy.budget)],
  ];
  return findings.flatMap(([rule, finding]) => (finding === undefined ? [] : [{ rule, action, ...finding }]));
}

/** In ERROR since its start or creation. Undefined while restarting: `startedAt` is of the start before. */
function paidSince(pod: Json): EpochMs | undefined {
  if (!isPaid(pod)) return undefined;
  const startedAt = timeAt(pod, 'startedAt');
  if (startedAt === undefined) return timeAt(pod, 'createdAt');
  return statusOf(pod) === 'ERROR' ? startedAt : undefined;
}

function timeAt(pod: Json, member: string): EpochMs | undefined {
  const text = stringAt(pod, member);
  return text === undefined ? undefined : Date.parse(text);
}

/** A charged pod in ERROR counts as idle. */
function idle(pod: Json, watch: IdleWatch | undefined, now: EpochMs): Finding | undefined {
  if (watch !== undefined && statusOf(pod) === 'RUNNING') return watch.find(pod, now);
  const isIdle = watch !== undefined && statusOf(pod) === 'ERROR' && isPaid(pod);
  return isIdle ? { state: 'met', why: 'in ERROR and paid' } : undefined;
}

function longerThan(
  since: EpochMs | undefined,
  limit: Milliseconds | undefined,
  now: EpochMs,
  word: string,
): Finding | undefined {
  if (limit === undefined) return undefined;
  if (since === undefined) return { state: 'unknown', why: `when it was ${word} is not known` };
  const why = `${word} ${formatDuration(Math.max(0, now - since))} ago`;
  return { state: now - since > limit ? 'met' : 'not-met', why };
}

function overBudget(dollars: number | undefined, budget: number | undefined): Finding | undefined {
  if (budget === undefined) return undefined;
  if (dollars === undefined) return { state: 'unknown', why: 'what the account cost this month is not known' };
  const why = `the account cost ${formatDollars(dollars)} this month`;
  return { state: dollars > budget ? 'met' : 'not-met', why };
}

const STOPPED: readonly string[] = ['EXITED', 'TERMINATED'];

/** Contract rules, Pods: actions. */
const CAN_STOP: readonly string[] = ['RUNNING', 'PROVISIONING', 'STARTING'];

function decisionOf(pod: Json, { rule, state, why, action }: Found, { allowTerminate }: Policy): readonly Decision[] {
  const status = statusOf(pod);
  if (state === 'not-met' || (action === 'stop' && STOPPED.includes(status))) return [];
  if (state === 'unknown') return [{ pod, rule, verdict: 'unknown', action: 'report', why }];
  // A pod in ERROR cannot be stopped; without persistent mount, terminating deletes no more than a stop.
  const losesNothing = status === 'ERROR' && memberAt(pod, 'mounts.persistent') === undefined;
  const wanted = action === 'stop' && allowTerminate && losesNothing ? 'terminate' : action;
  const held =
    wanted === 'stop' && !CAN_STOP.includes(status)
      ? `only terminating ends its cost${allowTerminate ? ', and would delete its persistent mount' : ''}`
      : wanted === 'terminate' && !allowTerminate
        ? 'terminating needs --allow-terminate'
        : undefined;
  return [{ pod, rule, verdict: 'over', action: held === undefined ? wanted : 'report', why, held }];
}

/** `why` has no final period. */
interface Finding {
  readonly state: 'met' | 'not-met' | 'unknown';
  readonly why: string;
}

/** Use in percent from which a pod is not idle. */
const [BUSY_GPU, BUSY_CPU] = [5, 10];

/** Between two polls of a guard. */
export const longestInterval = (forMs: Milliseconds): Milliseconds => forMs / 10;

interface Quiet {
  readonly since: EpochMs;
  readonly seenAt: EpochMs;
}

/** The service gives momentary values only, so use is tracked over polls. */
export class IdleWatch {
  readonly #forMs: Milliseconds;
  #quiet: ReadonlyMap<string, Quiet> = new Map();

  constructor(forMs: Milliseconds) {
    this.#forMs = forMs;
  }

  /** Restarts a watch after a gap of a fifth of the time, and if the clock is set back. */
  look(pods: readonly Json[], now: EpochMs): void {
    this.#quiet = new Map(
      pods.flatMap((pod): (readonly [string, Quiet])[] => {
        const before = this.#quiet.get(startOf(pod));
        const isKept =
          before !== undefined && now >= before.seenAt && now - before.seenAt <= 2 * longestInterval(this.#forMs);
        const use = useOf(pod);
        if (use === undefined) return isKept ? [[startOf(pod), before]] : [];
        return use === 'idle' ? [[startOf(pod), { since: isKept ? before.since : now, seenAt: now }]] : [];
      }),
    );
  }

  find(pod: Json, now: EpochMs): Finding {
    const use = useOf(pod);
    if (use === undefined) return { state: 'unknown', why: 'its use is not known' };
    if (use !== 'idle') return { state: 'not-met', why: use };
    const [forMs, watchedMs] = [this.#forMs, now - (this.#quiet.get(startOf(pod))?.since ?? now)];
    if (watchedMs >= forMs) return { state: 'met', why: `idle for ${formatDuration(forMs)}` };
    return { state: 'unknown', why: `idle for ${formatDuration(watchedMs)} of ${formatDuration(forMs)}` };
  }
}

const startOf = (pod: Json): string => `${stringAt(pod, 'id') ?? ''} ${stringAt(pod, 'startedAt') ?? ''}`;

/** `idle`, else what is busy. Undefined if any number is missing, also of one GPU of several (specification 2.2, PodRuntime). */
function useOf(pod: Json): string | undefined {
  const cpu = numberAt(pod, 'runtime.cpu.util');
  if (stringAt(pod, 'status') !== 'RUNNING' || stringAt(pod, 'startedAt') === undefined || cpu === undefined)
    return undefined;
  const count = numberAt(pod, 'gpu.count') ?? (stringAt(pod, 'gpu.id') === undefined ? 0 : 1);
  const gpus = itemsAt(pod, 'runtime.gpus').flatMap((gpu) => numberAt(gpu, 'util') ?? []);
  if (gpus.length < count) return undefined;
  const gpu = count === 0 ? 0 : Math.max(...gpus);
  return gpu >= BUSY_GPU ? `GPU ${gpu}%` : cpu >= BUSY_CPU ? `CPU ${cpu}%` : 'idle';
}
