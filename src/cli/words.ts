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

/** Commands that run under a word of another tool. */
const COMMANDS: Readonly<Record<string, string>> = {
  ps: 'pods list',
  ssh: 'pods ssh',
  exec: 'pods exec',
  logs: 'pods logs',
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

/** The verb that runs for a word: itself, its plural, or what other tools call it. */
export function verbOf(word: string, known: readonly string[]): string | undefined {
  if (known.includes(word)) return word;
  const others = Object.hasOwn(VERBS, word) ? (VERBS[word] ?? []) : [];
  return [pluralOf(word), ...others].find((verb) => known.includes(verb));
}

/** The words of the command that runs for a first word. */
export function commandOf(word: string, nouns: readonly string[]): readonly string[] | undefined {
  if (nouns.includes(word)) return [word];
  const plural = nouns.find((noun) => noun === pluralOf(word));
  if (plural !== undefined) return [plural];
  return Object.hasOwn(COMMANDS, word) ? COMMANDS[word]?.split(' ') : undefined;
}

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
  const verbs = Object.keys(VERBS).filter((each) => verbOf(each, known) !== undefined);
  const meant = (each: string): string => verbOf(each, known) ?? each;
  const exact = verbOf(word.toLowerCase(), known);
  const near = exact === undefined ? nearestOf(word, [...known, ...verbs]).map(meant) : [exact];
  return suggestionOf([...new Set(near)]);
}
