import { nearestOf, suggestionOf } from '../core/text.ts';

export const pluralOf = (one: string): string => (/[^aeiou]y$/.test(one) ? `${one.slice(0, -1)}ies` : `${one}s`);

export const withArticle = (one: string): string => `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`;

export const countOf = (count: number, one: string, many = pluralOf(one)): string =>
  `${count} ${count === 1 ? one : many}`;

/** Words of other tools that run: the first verb that the noun has. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  ps: ['list'],
  show: ['get', 'status'],
  describe: ['get', 'status'],
  inspect: ['get', 'status'],
  get: ['status'],
  new: ['create', 'add'],
  add: ['create'],
  edit: ['update'],
  delete: ['terminate', 'remove', 'revoke'],
  rm: ['delete', 'terminate', 'remove', 'revoke'],
  remove: ['delete', 'terminate', 'revoke'],
  reboot: ['restart'],
  submit: ['run'],
};

/** Words that only suggest a verb, because another one may be meant. */
const SUGGESTED: Readonly<Record<string, readonly string[]>> = {
  destroy: ['delete', 'terminate', 'remove', 'revoke'],
  kill: ['terminate', 'cancel', 'delete'],
  start: ['run', 'serve'],
  resume: ['start'],
  pause: ['stop'],
  connect: ['ssh'],
  deploy: ['create'],
  scale: ['update'],
  resize: ['update'],
  rename: ['update'],
  clear: ['purge', 'unset'],
};

/** Commands that run under a word of another tool. */
const COMMANDS: Readonly<Record<string, string>> = {
  ps: 'pods list',
  ssh: 'pods ssh',
  login: 'auth login',
  logout: 'auth logout',
  whoami: 'auth status',
  gpu: 'catalog gpus',
  gpus: 'catalog gpus',
  cpus: 'catalog cpus',
  datacenters: 'catalog datacenters',
  'ssh-keys': 'account ssh-keys',
  serverless: 'endpoints',
  vol: 'volumes',
  'network-volumes': 'volumes',
  batch: 'jobs batch',
  serve: 'local serve',
};

const SUGGESTED_COMMANDS: Readonly<Record<string, string>> = {
  cost: 'billing report',
  exec: 'pods exec',
  logs: 'pods logs',
  status: 'auth status',
};

const firstOf = (
  table: Readonly<Record<string, readonly string[]>>,
  word: string,
  known: readonly string[],
): string | undefined => (Object.hasOwn(table, word) ? table[word] : undefined)?.find((each) => known.includes(each));

/** The verb that runs for a word: itself, its plural, or what other tools call it. */
export const verbOf = (word: string, known: readonly string[]): string | undefined =>
  known.includes(word)
    ? word
    : (known.find((verb) => verb !== word && verb === pluralOf(word)) ?? firstOf(VERBS, word, known));

/** The words of the command that runs for a first word. */
export function commandOf(word: string, nouns: readonly string[]): readonly string[] | undefined {
  if (nouns.includes(word)) return [word];
  const plural = nouns.find((noun) => noun === pluralOf(word));
  if (plural !== undefined) return [plural];
  return Object.hasOwn(COMMANDS, word) ? COMMANDS[word]?.split(' ') : undefined;
}

/** `berth auth login`: what a first word may mean that runs nothing. */
export const suggestedCommand = (word: string): string | undefined => {
  const meant = { ...COMMANDS, ...SUGGESTED_COMMANDS };
  return Object.hasOwn(meant, word) ? meant[word] : undefined;
};

const suggestedVerb = (word: string, known: readonly string[]): string | undefined =>
  verbOf(word, known) ?? firstOf(SUGGESTED, word, known);

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
  const lower = word.toLowerCase();
  const exact = suggestedVerb(lower, known);
  const others = [...Object.keys(VERBS), ...Object.keys(SUGGESTED)].filter((each) => suggestedVerb(each, known));
  const near = exact === undefined ? nearestOf(lower, [...known, ...others]) : [exact];
  return suggestionOf([...new Set(near.map((each) => suggestedVerb(each, known) ?? each))]);
}
