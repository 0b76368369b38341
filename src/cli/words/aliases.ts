/** Verbs of other programs and the verbs here that mean the same; the first one that the noun has is used. */
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

/** The short verbs that every collection takes besides its own verbs. */
export const SHORT_VERBS = ['ls', 'rm'] as const;

/** The known word that a word or an alias stands for, in any case; undefined if there is none. */
export function resolveAlias(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  if (known.includes(lower)) return lower;
  return (Object.hasOwn(VERBS, lower) ? VERBS[lower] : undefined)?.find((each) => known.includes(each));
}

/** The aliases of the known words. */
export const aliasesOf = (known: readonly string[]): readonly string[] =>
  Object.keys(VERBS).filter((word) => resolveAlias(word, known) !== undefined);
