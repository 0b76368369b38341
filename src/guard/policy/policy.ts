/** A policy as a document: rules, exceptions and limits of a guard. */
import { usage } from '../../core/failure.ts';
import { isObject, type Json } from '../../core/json.ts';
import {
  dollars,
  duration,
  flag,
  list,
  members,
  number,
  oneOrMore,
  percent,
  text,
  texts,
  time,
  word,
  wrong,
  type Read,
  type Readers,
} from './policy-readers.ts';
import {
  actionsFor,
  DEFAULT_MAX_ACTIONS,
  GUARD_ACTIONS,
  IDLE_DEFAULTS,
  POD_STATUSES,
  SPENT_SINCE,
  subjectsOf,
  type Condition,
  type Exception,
  type Policy,
  type Rule,
  type Selection,
} from './rules.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** The rule that keeps the deadlines of pods; every policy has it unless it says `deadlines: false`. */
export const DEADLINE_RULE = 'deadline';

const SELECT = {
  match: texts,
  status: oneOrMore(word(POD_STATUSES)),
  dataCenter: texts,
  gpu: texts,
  olderThan: duration,
  costAbove: dollars,
} as const;

const selection: Read<Selection> = (value, path) => members(SELECT, value, path);

/** A condition without a value of its own. */
const whenTrue =
  (made: Condition): Read<Condition> =>
  (value, path) => {
    if (value !== true) throw wrong(value, path, 'true');
    return made;
  };

/** The limits of idleness, with the usual percentage where none is given. */
export const idleLimits = (
  forMs: Milliseconds,
  given: Readonly<Record<'gpu' | 'cpu' | 'memory', number | undefined>>,
) => ({
  forMs,
  gpu: given.gpu ?? IDLE_DEFAULTS.gpu,
  cpu: given.cpu ?? IDLE_DEFAULTS.cpu,
  memory: given.memory,
});

const NO_LIMITS = { gpu: undefined, cpu: undefined, memory: undefined };
const IDLE = { for: duration, gpu: percent, cpu: percent, memory: percent } as const;

const idle: Read<Condition> = (value, path) => {
  const given = isObject(value) ? members(IDLE, value, path) : { for: duration(value, path), ...NO_LIMITS };
  if (given.for === undefined) throw usage(`${path} needs a time: for: 2h`);
  return { kind: 'idle', limits: idleLimits(given.for, given) };
};

const SPENT = { dollars, since: word(SPENT_SINCE) } as const;

const spent: Read<Condition> = (value, path) => {
  const given = isObject(value) ? members(SPENT, value, path) : { dollars: dollars(value, path), since: undefined };
  if (given.dollars === undefined) throw usage(`${path} needs an amount: dollars: 20`);
  return { kind: 'spent', dollars: given.dollars, since: given.since ?? 'start' };
};

/** The conditions by the member that gives them. */
const WHEN = {
  deadline: whenTrue({ kind: 'deadline' }),
  noDeadline: whenTrue({ kind: 'no-deadline' }),
  age: (value, path): Condition => ({ kind: 'age', ms: duration(value, path) }),
  running: (value, path): Condition => ({ kind: 'running', ms: duration(value, path) }),
  idle,
  spent,
  accountPerHour: (value, path): Condition => ({ kind: 'account-per-hour', dollars: dollars(value, path) }),
  accountMonth: (value, path): Condition => ({ kind: 'account-month', dollars: dollars(value, path) }),
  noJobs: (value, path): Condition => ({ kind: 'no-jobs', ms: duration(value, path) }),
  unusedStorage: whenTrue({ kind: 'unused-storage' }),
} as const satisfies Readers;

const condition: Read<Condition> = (value, path) => {
  const found = Object.values(members(WHEN, value, path)).filter((each) => each !== undefined);
  const [only, ...others] = found;
  if (only === undefined || others.length > 0)
    throw usage(`${path} takes exactly one condition`, `It takes one of ${Object.keys(WHEN).join(', ')}.`);
  return only;
};

/** What only pods have: a condition about something else selects by names and ages. */
const OF_PODS = ['status', 'dataCenter', 'gpu', 'costAbove'] as const;

const rule: Read<Rule> = (value, path) => {
  const given = members({ name: text, select: selection, when: condition, do: word(GUARD_ACTIONS) }, value, path);
  const { when, select = {}, do: action = 'report' } = given;
  if (when === undefined) throw usage(`${path} needs a condition: when`);
  checkRule({ name: given.name ?? path, select, when, action }, path);
  return { name: given.name ?? path, select, when, action };
};

const isSet = (value: Selection[(typeof OF_PODS)[number]]): boolean =>
  typeof value === 'object' ? value.length > 0 : value !== undefined;

/** Refuses an action and a selection that do not fit the condition. `path` names the rule. Fails with usage (2). */
export function checkRule({ select, when, action }: Rule, path: string): void {
  const [actions, kinds] = [actionsFor(when), subjectsOf(when)];
  if (!actions.includes(action))
    throw usage(`${path} cannot ${action} for its condition`, `It takes ${actions.join(', ')}.`);
  const other = kinds.every((kind) => kind === 'pod') ? undefined : OF_PODS.find((name) => isSet(select[name]));
  if (other !== undefined)
    throw usage(
      `${path} selects by ${other}, which only pods have`,
      `It is about ${kinds.join('s and ')}s: select by match or olderThan.`,
    );
}

const exception: Read<Exception> = (value, path) => {
  const { match, until, reason } = members({ match: texts, until: time, reason: text }, value, path);
  if (match === undefined || match.length === 0) throw usage(`${path} needs the pods that it is about: match`);
  if (until === undefined) throw usage(`${path} needs an end: until: 2026-12-01`);
  return { match, until, reason };
};

const POLICY = {
  deadlines: flag,
  rules: list(rule),
  exceptions: list(exception),
  allowTerminate: flag,
  maxActions: number('a whole number, at least 1', 1),
} as const;

/**
 * Reads a policy. Fails with usage (2), and names the member, for anything that the schema of policies does not allow, and
 * for two rules of one name.
 */
export function readPolicy(document: Json): Policy {
  const given = members(POLICY, document, '');
  const rules = [...(given.deadlines === false ? [] : [deadlineRule()]), ...(given.rules ?? [])];
  const twice = rules.find(({ name }, at) => rules.findIndex((each) => each.name === name) < at);
  if (twice !== undefined) throw usage(`two rules have the name ${JSON.stringify(twice.name)}`);
  return {
    rules,
    exceptions: given.exceptions ?? [],
    allowTerminate: given.allowTerminate ?? false,
    maxActions: given.maxActions ?? DEFAULT_MAX_ACTIONS,
  };
}

/** The rule that keeps the deadlines of pods. The action is that of each deadline. */
export const deadlineRule = (): Rule => ({
  name: DEADLINE_RULE,
  select: {},
  when: { kind: 'deadline' },
  action: 'stop',
});
