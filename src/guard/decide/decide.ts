import { MINUTE_MS } from '../../core/durations.ts';
import { compileGlobs } from '../../core/text/patterns/glob.ts';
import { type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { compileRowFilter, isAmong } from '../../core/text/patterns/row-filter.ts';
import { formatTimestamp } from '../../core/text/timestamp.ts';
import { evaluate, type Found, type World } from './conditions.ts';
import {
  subjectsOf,
  type Exception,
  type GuardAction,
  type Policy,
  type Rule,
  type Selection,
  type Subject,
} from '../policy/rules.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';

/** `unknown`: whether a rule applies cannot be known. */
export const VERDICTS = ['over', 'exempt', 'unknown'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What a guard decided about a pod, an endpoint or a volume. */
export interface Decision extends Subject {
  readonly rule: string;
  /** What is done about it. */
  readonly action: GuardAction;
  /** `over`: a rule applies. `exempt`: one applies, and a lock, a cluster, an exception or a snooze keeps it from the pod. */
  readonly verdict: Verdict;
  /** What was found, without a final stop. */
  readonly why: string;
  /** Why less is done than the rule says, such as a lock. */
  readonly held: string | undefined;
}

/** What changes something. */
export type ActingAction = Exclude<GuardAction, 'report'>;
export type ActingDecision = Decision & { readonly action: ActingAction };

export const isAction = (decision: Decision): decision is ActingDecision => decision.action !== 'report';

/** What keeps a guard from a pod for a time, by the ids of pods. */
export type Snoozes = ReadonlyMap<string, EpochMs>;

const STRENGTH: Readonly<Record<GuardAction, number>> = { report: 0, stop: 1, 'scale-to-zero': 1, terminate: 2 };

/** Decides about rows: for each to which a rule applies, or may apply, the strongest decision. */
type Decide = (subjects: readonly Subject[], world: World, snoozes: Snoozes) => readonly Decision[];

/**
 * Compiles a policy. What it returns depends on nothing else than its parameters, so that it can be decided again right
 * before something is done. Fails with usage (2) for an empty pattern.
 */
export function compilePolicy(policy: Policy): Decide {
  const excepted = compileExceptions(policy.exceptions);
  const rules = policy.rules.map((rule) => ({
    rule,
    kinds: subjectsOf(rule.when),
    isSelected: compileSelection(rule.select),
  }));
  return (subjects, world, snoozes) =>
    subjects.flatMap((subject) => {
      const { kind, row } = subject;
      const found = rules.flatMap(({ rule, kinds, isSelected }) =>
        kinds.includes(kind) && isSelected(row, world.now) ? decisionOf(rule, subject, world, policy) : [],
      );
      const [strongest] = found.toSorted((a, b) => rankOf(b) - rankOf(a));
      if (strongest === undefined) return [];
      const exemption = exemptionOf(row) ?? excepted(row, world.now) ?? snoozed(row, snoozes, world.now);
      if (exemption === undefined || strongest.verdict === 'unknown') return [strongest];
      return [{ ...strongest, verdict: 'exempt', action: 'report', held: exemption }];
    });
}

const rankOf = ({ verdict, action }: Decision): number => (verdict === 'over' ? 10 : 0) + STRENGTH[action];

/** The decision of one rule; none where it does not apply. */
function decisionOf(rule: Rule, subject: Subject, world: World, policy: Policy): readonly Decision[] {
  const found = evaluate(rule.when, subject.row, world);
  const decisions = decisionBy(found, rule, subject, world, policy);
  if (found.weaker === undefined || decisions[0]?.held === undefined) return decisions;
  // A deadline to stop is kept also where the one to terminate may not be.
  const [weaker] = decisionBy(found.weaker, rule, subject, world, policy);
  return weaker === undefined || weaker.held !== undefined ? decisions : [weaker];
}

function decisionBy(
  { state, why, action: given }: Found,
  rule: Rule,
  { kind, row }: Subject,
  world: World,
  policy: Policy,
): readonly Decision[] {
  if (state === 'not-met') return [];
  const wantedAction = given ?? rule.action;
  // A pod that is stopped needs no stop.
  if (wantedAction === 'stop' && STOPPED.includes(stringAt(row, 'status') ?? '')) return [];
  const action = wantedAction === 'stop' && policy.allowTerminate && losesNothing(row) ? 'terminate' : wantedAction;
  const verdict = state === 'met' ? 'over' : 'unknown';
  const wanted: GuardAction = verdict === 'unknown' ? 'report' : action;
  const held = wanted === 'report' ? undefined : heldBack(row, wanted, world.now, policy);
  return [{ kind, row, rule: rule.name, verdict, why, action: held === undefined ? wanted : 'report', held }];
}

/** A pod in ERROR cannot be stopped. Where it has no persistent mount, terminating deletes no more than a stop. */
const losesNothing = (pod: Json): boolean =>
  memberAt(pod, 'status') === 'ERROR' && memberAt(pod, 'mounts.persistent') === undefined;

/** A clock of the service may differ a little from what it wrote. */
const CLOCK_TOLERANCE_MS: Milliseconds = MINUTE_MS;

/** What keeps every guard from a pod: `it is locked`. */
export function exemptionOf(pod: Json): string | undefined {
  if (memberAt(pod, 'locked') === true) return 'it is locked';
  return stringAt(pod, 'cluster.id') === undefined ? undefined : 'it is a member of a cluster';
}

/** Why nothing may be done about a pod that a rule applies to. */
function heldBack(pod: Json, action: GuardAction, now: EpochMs, { allowTerminate }: Policy): string | undefined {
  const times = ['createdAt', 'startedAt'].map((member) => Date.parse(stringAt(pod, member) ?? ''));
  if (times.some((at) => at > now + CLOCK_TOLERANCE_MS)) return "the service's clock is behind its own times";
  const status = stringAt(pod, 'status') ?? '';
  if (action === 'stop' && !CAN_STOP.includes(status))
    return `only terminating ends its cost${allowTerminate ? ', and would delete its persistent mount' : ''}`;
  if (action === 'terminate' && !allowTerminate)
    return 'terminating needs --allow-terminate, or allowTerminate: true in the policy';
  return undefined;
}

const STOPPED = ['EXITED', 'TERMINATED'];

/** Statuses in which a pod can be stopped (contract rules, Pods: actions). */
export const CAN_STOP = ['RUNNING', 'PROVISIONING', 'STARTING'];

/** What keeps the guards of this machine from a pod now. `now` is the service's time. */
export function snoozed(pod: Json, snoozes: Snoozes, now: EpochMs): string | undefined {
  const until = snoozes.get(stringAt(pod, 'id') ?? '');
  return until !== undefined && until > now ? `snoozed until ${formatTimestamp(until)}` : undefined;
}

/** Returns the exception that a row is under, as a sentence. Exceptions that have ended count no more. */
function compileExceptions(exceptions: readonly Exception[]): (row: Json, now: EpochMs) => string | undefined {
  const all = exceptions.map(({ match, until, reason }) => ({
    until,
    isMatch: compileGlobs(match, 'match'),
    text: `an exception until ${formatTimestamp(until)}${reason === undefined ? '' : `: ${reason}`}`,
  }));
  return (row, now) =>
    all.find(
      ({ until, isMatch }) =>
        until > now && [stringAt(row, 'name'), stringAt(row, 'id')].some((word) => isMatch(word ?? '')),
    )?.text;
}

/** Compiles a selection. What is of unknown age or cost does not fit one of these. Fails with usage (2) for an empty pattern. */
function compileSelection(selection: Selection): (row: Json, now: EpochMs) => boolean {
  const { dataCenter = [], gpu = [], costAbove, ...filter } = selection;
  const fits = compileRowFilter(filter, 'match');
  return (row, now) =>
    fits(row, now) &&
    isAmong(dataCenter, memberAt(row, 'dataCenterId')) &&
    isAmong(gpu, memberAt(row, 'gpu.id')) &&
    (costAbove === undefined || (numberAt(row, 'cost') ?? 0) > costAbove);
}
