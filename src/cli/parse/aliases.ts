/** What other programs call the verbs of this one; of several the first that there is. */
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
};

/** The word of the list that another word stands for, whatever its case; undefined where there is none. */
export function resolveAlias(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  if (known.includes(lower)) return lower;
  return (Object.hasOwn(VERBS, lower) ? VERBS[lower] : undefined)?.find((each) => known.includes(each));
}

/** The words of others that stand for one of the list. */
export const aliasesOf = (known: readonly string[]): readonly string[] =>
  Object.keys(VERBS).filter((word) => resolveAlias(word, known) !== undefined);
