/** The rules of a guard: which pods, under which condition, and what is done about them. */
import type { Json } from '../../core/json.ts';
import type { RowFilter } from '../../core/text/patterns/row-filter.ts';
import type { IdleLimits } from '../samples/idle.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';

/** What a rule does. Nothing that a rule does deletes data, but for `terminate`, which a policy must allow. */
export const GUARD_ACTIONS = ['report', 'stop', 'terminate', 'scale-to-zero'] as const;
export type GuardAction = (typeof GUARD_ACTIONS)[number];

/** The statuses that a selection can name (specification 3.1). */
export const POD_STATUSES = ['PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED'] as const;

/** What rules are about. */
export const SUBJECTS = ['pod', 'endpoint', 'volume'] as const;
export type SubjectKind = (typeof SUBJECTS)[number];

/** A row of the list of its kind. */
export interface Subject {
  readonly kind: SubjectKind;
  readonly row: Json;
}

/** Which of them a rule is about; one must fit every member that is given, and one of several values. */
export interface Selection extends RowFilter {
  readonly dataCenter?: readonly string[] | undefined;
  readonly gpu?: readonly string[] | undefined;
  /** US dollars an hour. */
  readonly costAbove?: number | undefined;
}

/** What an amount counts from. */
export const SPENT_SINCE = ['start', 'creation'] as const;
export type SpentSince = (typeof SPENT_SINCE)[number];

/** When a rule applies. Amounts are US dollars. */
export type Condition =
  /** The pod's own deadline is over; the action is that of the deadline. */
  | { readonly kind: 'deadline' }
  /** Time since its creation. */
  | { readonly kind: 'age'; readonly ms: Milliseconds }
  /** Time since its start. */
  | { readonly kind: 'running'; readonly ms: Milliseconds }
  | { readonly kind: 'idle'; readonly limits: IdleLimits }
  | { readonly kind: 'no-deadline' }
  /** What it cost since its start or its creation. */
  | { readonly kind: 'spent'; readonly dollars: number; readonly since: SpentSince }
  /** An endpoint keeps workers (`workers.min` above 0), and had no job for so long. */
  | { readonly kind: 'no-jobs'; readonly ms: Milliseconds }
  /** A stopped pod with a disk, and a volume that is mounted nowhere. */
  | { readonly kind: 'unused-storage' }
  /** What the whole account costs an hour, or has cost in this month (UTC). */
  | { readonly kind: 'account-per-hour'; readonly dollars: number }
  | { readonly kind: 'account-month'; readonly dollars: number };

/** What a condition is about. */
export function subjectsOf({ kind }: Condition): readonly SubjectKind[] {
  if (kind === 'no-jobs') return ['endpoint'];
  return kind === 'unused-storage' ? ['pod', 'volume'] : ['pod'];
}

/** What can be done where a condition is met. What is stored is only reported: data is never deleted by a rule. */
export function actionsFor({ kind }: Condition): readonly GuardAction[] {
  if (kind === 'no-jobs') return ['report', 'scale-to-zero'];
  return kind === 'unused-storage' ? ['report'] : ['report', 'stop', 'terminate'];
}

export interface Rule {
  readonly name: string;
  readonly select: Selection;
  readonly when: Condition;
  /** What is done; a deadline brings its own action. */
  readonly action: GuardAction;
}

/** Pods that no rule is applied to for a time. */
export interface Exception {
  /** Patterns of names or ids. */
  readonly match: readonly string[];
  readonly until: EpochMs;
  readonly reason: string | undefined;
}

export interface Policy {
  readonly rules: readonly Rule[];
  readonly exceptions: readonly Exception[];
  /** Without it, what would be terminated is reported. */
  readonly allowTerminate: boolean;
  /** More actions than these in one sweep are refused. */
  readonly maxActions: number;
}

export const DEFAULT_MAX_ACTIONS = 10;

/** Use in percent below which a pod is idle, where a rule says nothing else. */
export const IDLE_DEFAULTS = { gpu: 5, cpu: 10 } as const;
