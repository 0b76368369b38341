/** A policy as a document: rules, exceptions and limits of a guard. */
import { usage } from '../core/failure.ts';
import { arrayOf, encodeJson, isObject, numberOf, stringOf, type Json } from '../core/json.ts';
import { parseTimestamp } from '../core/text/timestamp.ts';
import { parseDuration } from '../core/units.ts';
import {
  DEFAULT_MAX_ACTIONS,
  GUARD_ACTIONS,
  IDLE_DEFAULTS,
  POD_STATUSES,
  type Condition,
  type Exception,
  type Policy,
  type Rule,
  type Selection,
} from './rules.ts';

/** The rule that keeps the deadlines of pods; every policy has it unless it says `deadlines: false`. */
export const DEADLINE_RULE = 'deadline';

/** A reader of one member. `path` names it in messages. Fails with usage (2). */
type Read<T> = (value: Json, path: string) => T;

/** Readers of the members of an object, by name. */
type Readers = Readonly<Record<string, Read<unknown>>>;

type Values<R extends Readers> = { readonly [K in keyof R]: R[K] extends Read<infer T> ? T | undefined : never };

const wrong = (value: Json, path: string, expected: string): Error =>
  usage(`${path} is not ${expected}: ${encodeJson(value)}`);

const text: Read<string> = (value, path) => {
  const given = stringOf(value);
  if (given === undefined || given === '') throw wrong(value, path, 'a text');
  return given;
};
/** One value or a list of them. */
const oneOrMore =
  <T>(read: Read<T>): Read<readonly T[]> =>
  (value, path) =>
    (arrayOf(value) ?? [value]).map((each, at) => read(each, arrayOf(value) === undefined ? path : `${path}[${at}]`));
const texts = oneOrMore(text);
const flag: Read<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw wrong(value, path, 'true or false');
  return value;
};
const number =
  (expected: string, least: number): Read<number> =>
  (value, path) => {
    const given = numberOf(value);
    if (given === undefined || !(given >= least)) throw wrong(value, path, expected);
    return given;
  };
const dollars = number('an amount in US dollars', 0);
const percent = number('a percentage', 0);
const duration: Read<number> = (value, path) => {
  const given = stringOf(value);
  if (given === undefined || /^[\d.]+$/.test(given)) throw wrong(value, path, 'a duration with its unit, such as 2h');
  return parseDuration(given, 'h', path);
};
const time: Read<number> = (value, path) => {
  const given = text(value, path);
  if (!/^\d{4}-/.test(given)) throw wrong(value, path, 'a date (2026-12-01) or a time (2026-12-01T18:00:00Z)');
  return parseTimestamp(given, path, { now: 0, endOfDay: true }).at;
};
const word =
  <const W extends string>(words: readonly W[]): Read<W> =>
  (value, path) => {
    const found = words.find((each) => each === value);
    if (found === undefined) throw wrong(value, path, `one of ${words.join(', ')}`);
    return found;
  };

/** Reads the members of an object. Fails with usage (2) for a member that is not known. */
function members<const R extends Readers>(readers: R, value: Json, path: string): Values<R> {
  if (!isObject(value)) throw wrong(value, path, 'an object');
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(readers, name));
  if (unknown !== undefined)
    throw usage(
      `${path === '' ? 'the policy' : path} has no member ${JSON.stringify(unknown)}`,
      `It takes ${Object.keys(readers).join(', ')}.`,
    );
  const read = Object.entries(readers).flatMap(([name, reader]) => {
    const given = value[name];
    return given === undefined ? [] : [[name, reader(given, path === '' ? name : `${path}.${name}`)] as const];
  });
  // Every member was read by the reader of its name.
  return Object.fromEntries(read) as Values<R>;
}

const list =
  <T>(read: Read<T>): Read<readonly T[]> =>
  (value, path) => {
    const items = arrayOf(value);
    if (items === undefined) throw wrong(value, path, 'a list');
    return items.map((item, at) => read(item, `${path}[${at}]`));
  };

const SELECT = {
  match: texts,
  status: oneOrMore(word(POD_STATUSES)),
  dataCenter: texts,
  gpu: texts,
  olderThan: duration,
  costAbove: dollars,
} as const;

const selection: Read<Selection> = (value, path) => {
  const { olderThan, costAbove, ...given } = members(SELECT, value, path);
  return {
    match: given.match ?? [],
    status: given.status ?? [],
    dataCenter: given.dataCenter ?? [],
    gpu: given.gpu ?? [],
    olderThanMs: olderThan,
    costAbove,
  };
};

/** A condition without a value of its own. */
const whenTrue =
  (made: Condition): Read<Condition> =>
  (value, path) => {
    if (value !== true) throw wrong(value, path, 'true');
    return made;
  };

/** The limits of idleness, with the usual percentage where none is given. `forMs` is milliseconds. */
export const idleLimits = (forMs: number, given: Readonly<Record<'gpu' | 'cpu' | 'memory', number | undefined>>) => ({
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

/** The conditions by the member that gives them. */
const WHEN = {
  deadline: whenTrue({ kind: 'deadline' }),
  noDeadline: whenTrue({ kind: 'no-deadline' }),
  age: (value, path): Condition => ({ kind: 'age', ms: duration(value, path) }),
  running: (value, path): Condition => ({ kind: 'running', ms: duration(value, path) }),
  idle,
  spent: (value, path): Condition => ({ kind: 'spent', dollars: dollars(value, path) }),
  accountPerHour: (value, path): Condition => ({ kind: 'account-per-hour', dollars: dollars(value, path) }),
  accountMonth: (value, path): Condition => ({ kind: 'account-month', dollars: dollars(value, path) }),
} as const satisfies Readers;

const condition: Read<Condition> = (value, path) => {
  const found = Object.values(members(WHEN, value, path)).filter((each) => each !== undefined);
  const [only, ...others] = found;
  if (only === undefined || others.length > 0)
    throw usage(`${path} takes exactly one condition`, `It takes one of ${Object.keys(WHEN).join(', ')}.`);
  return only;
};

const rule: Read<Rule> = (value, path) => {
  const given = members({ name: text, select: selection, when: condition, do: word(GUARD_ACTIONS) }, value, path);
  if (given.when === undefined) throw usage(`${path} needs a condition: when`);
  return {
    name: given.name ?? path,
    select: given.select ?? selection({}, path),
    when: given.when,
    action: given.do ?? 'report',
  };
};

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
  select: selection({}, ''),
  when: { kind: 'deadline' },
  action: 'stop',
});
