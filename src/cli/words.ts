import { berth, type Message, names, sentence } from '../core/message.ts';
import { nearestOf, suggestionOf } from '../core/text.ts';

export const pluralOf = (one: string): string => (/[^aeiou]y$/.test(one) ? `${one.slice(0, -1)}ies` : `${one}s`);

export const withArticle = (one: string): string => `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`;

export const countOf = (count: number, one: string, many = pluralOf(one)): string =>
  `${count} ${count === 1 ? one : many}`;

export function helpMessage(text: string): Message {
  const { before = '', command } = /^(?<before>.*?)`?berth (?<command>[a-z -]+)`?$/.exec(text)?.groups ?? {};
  return command === undefined ? text : sentence`${before}${berth`${names(command)}`}`;
}

/** The first one that the noun has is used. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  ps: ['list'],
  show: ['get', 'status'],
  describe: ['get', 'status'],
  inspect: ['get', 'status'],
  new: ['create', 'add'],
  add: ['create'],
  edit: ['update', 'set'],
  set: ['update'],
  rm: ['delete', 'remove', 'revoke'],
  remove: ['delete', 'revoke'],
  destroy: ['delete', 'remove', 'revoke'],
  delete: ['terminate', 'remove', 'revoke'],
  kill: ['terminate', 'cancel', 'delete'],
  submit: ['run'],
  start: ['run', 'serve'],
  resume: ['start'],
  pause: ['stop'],
  reboot: ['restart'],
  shell: ['ssh'],
  connect: ['ssh'],
  exec: ['ssh'],
  deploy: ['create'],
  launch: ['create'],
  scale: ['update'],
  resize: ['update'],
  extend: ['update'],
  rename: ['update'],
  clear: ['purge', 'unset'],
  empty: ['purge'],
  get: ['status'],
  result: ['status'],
  cost: ['report'],
  costs: ['report'],
  signin: ['login'],
  signout: ['logout'],
  whoami: ['status'],
};

export const SHORT_VERBS = ['ls', 'rm'] as const;

/** In any case; undefined if there is none. */
export function resolveAlias(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  if (known.includes(lower)) return lower;
  return (Object.hasOwn(VERBS, lower) ? VERBS[lower] : undefined)?.find((each) => known.includes(each));
}

const aliasesOf = (known: readonly string[]): readonly string[] =>
  Object.keys(VERBS).filter((word) => resolveAlias(word, known) !== undefined);

const MAX_NAMES = 5;

/** The nearest; else those that begin with it. */
export function nearestNames(name: string, known: readonly string[]): readonly string[] {
  const near = nearestOf(name, known);
  if (near.length > 0 || name.length < 3) return near;
  const begun = known.filter((each) => each.toLowerCase().startsWith(name.toLowerCase()));
  return [...new Set(begun)].slice(0, MAX_NAMES);
}

/** `Did you mean list?`; undefined if none is near. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const exact = resolveAlias(word, known);
  const near = exact === undefined ? nearestOf(word.toLowerCase(), [...known, ...aliasesOf(known)]) : [exact];
  return suggestionOf([...new Set(near.map((each) => resolveAlias(each, known) ?? each))]);
}
