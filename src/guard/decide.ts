import { compileGlobs } from '../core/text/glob.ts';
import { type Json, memberAt, numberAt, stringAt } from '../core/json.ts';
import { formatTimestamp } from '../core/text/timestamp.ts';
import { evaluate, type World } from './conditions.ts';
import type { Exception, GuardAction, Policy, Rule, Selection } from './rules.ts';

/** `unknown`: whether a rule applies cannot be known. */
export const VERDICTS = ['over', 'exempt', 'unknown'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What a guard decided about a pod. */
export interface Decision {
  readonly pod: Json;
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

export const isAction = (decision: Decision): decision is Decision & { readonly action: 'stop' | 'terminate' } =>
  decision.action !== 'report';

/** What keeps a guard from a pod for a time, by the ids of pods: milliseconds since the epoch. */
export type Snoozes = ReadonlyMap<string, number>;

const STRENGTH: Readonly<Record<GuardAction, number>> = { report: 0, stop: 1, terminate: 2 };

/**
 * Decides about pods: for each pod to which a rule applies, or may apply, the strongest decision. It depends on nothing
 * else than its parameters, so that it can be made again right before something is done.
 */
export function decide(policy: Policy, pods: readonly Json[], world: World, snoozes: Snoozes): readonly Decision[] {
  const excepted = compileExceptions(policy.exceptions, world.now);
  const rules = policy.rules.map((rule) => ({ rule, isSelected: compileSelection(rule.select) }));
  return pods.flatMap((pod) => {
    const found = rules.flatMap(({ rule, isSelected }) =>
      isSelected(pod, world.now) ? decisionOf(rule, pod, world, policy) : [],
    );
    const [strongest] = found.toSorted((a, b) => rankOf(b) - rankOf(a));
    if (strongest === undefined) return [];
    const exemption = exemptionOf(pod) ?? excepted(pod) ?? snoozed(pod, snoozes, world.now);
    if (exemption === undefined || strongest.verdict === 'unknown') return [strongest];
    return [{ ...strongest, verdict: 'exempt', action: 'report', held: exemption }];
  });
}

const rankOf = ({ verdict, action }: Decision): number => (verdict === 'over' ? 10 : 0) + STRENGTH[action];

/** The decision of one rule; none where it does not apply. */
function decisionOf(rule: Rule, pod: Json, world: World, policy: Policy): readonly Decision[] {
  const { state, why, action = rule.action } = evaluate(rule.when, pod, world);
  if (state === 'not-met') return [];
  // A pod that is stopped needs no stop.
  if (action === 'stop' && STOPPED.includes(stringAt(pod, 'status') ?? '')) return [];
  const verdict = state === 'met' ? 'over' : 'unknown';
  const wanted: GuardAction = verdict === 'unknown' ? 'report' : action;
  const held = wanted === 'report' ? undefined : heldBack(pod, wanted, world.now, policy);
  return [{ pod, rule: rule.name, verdict, why, action: held === undefined ? wanted : 'report', held }];
}

/** A clock of the service may differ a little from what it wrote. Milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000;

/** What keeps every guard from a pod. */
function exemptionOf(pod: Json): string | undefined {
  if (memberAt(pod, 'locked') === true) return 'it is locked';
  return stringAt(pod, 'cluster.id') === undefined ? undefined : 'it is a member of a cluster';
}

/** Why nothing may be done about a pod that a rule applies to. */
function heldBack(pod: Json, action: GuardAction, now: number, { allowTerminate }: Policy): string | undefined {
  const times = ['createdAt', 'startedAt'].map((member) => Date.parse(stringAt(pod, member) ?? ''));
  if (times.some((at) => at > now + CLOCK_TOLERANCE_MS)) return "the service's clock is behind its own times";
  const status = stringAt(pod, 'status') ?? '';
  if (action === 'stop' && !CAN_STOP.includes(status)) return `it is ${status}, and only a termination ends its cost`;
  if (action === 'terminate' && !allowTerminate) return 'the policy does not allow to terminate';
  return undefined;
}

const STOPPED = ['EXITED', 'TERMINATED'];

/** Statuses in which a pod can be stopped (contract rules, Pods: actions). */
export const CAN_STOP = ['RUNNING', 'PROVISIONING', 'STARTING'];

function snoozed(pod: Json, snoozes: Snoozes, now: number): string | undefined {
  const until = snoozes.get(stringAt(pod, 'id') ?? '');
  return until !== undefined && until > now ? `snoozed until ${formatTimestamp(until)}` : undefined;
}

/** Returns the exception that a pod is under, as a sentence. Exceptions that have ended count no more. */
function compileExceptions(exceptions: readonly Exception[], now: number): (pod: Json) => string | undefined {
  const open = exceptions
    .filter(({ until }) => until > now)
    .map(({ match, until, reason }) => ({
      isMatch: compileGlobs(match, 'match'),
      text: `an exception until ${formatTimestamp(until)}${reason === undefined ? '' : `: ${reason}`}`,
    }));
  return (pod) =>
    open.find(({ isMatch }) => [stringAt(pod, 'name'), stringAt(pod, 'id')].some((word) => isMatch(word ?? '')))?.text;
}

/** Compiles a selection. A pod of unknown age or cost does not fit one of these. Fails with usage (2) for an empty pattern. */
export function compileSelection(selection: Selection): (pod: Json, now: number) => boolean {
  const { match, status, dataCenter, gpu, olderThanMs, costAbove } = selection;
  const isMatch = match.length === 0 ? () => true : compileGlobs(match, 'match');
  const isOf = (wanted: readonly string[], value: string | undefined): boolean =>
    wanted.length === 0 || wanted.some((each) => each.toLowerCase() === value?.toLowerCase());
  return (pod, now) =>
    isMatch(stringAt(pod, 'name') ?? '') &&
    isOf(status, stringAt(pod, 'status')) &&
    isOf(dataCenter, stringAt(pod, 'dataCenterId')) &&
    isOf(gpu, stringAt(pod, 'gpu.id')) &&
    (olderThanMs === undefined || now - Date.parse(stringAt(pod, 'createdAt') ?? '') > olderThanMs) &&
    (costAbove === undefined || (numberAt(pod, 'cost') ?? 0) > costAbove);
}
