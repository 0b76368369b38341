import type { GlobalFlag } from '../model/global-flags.ts';

type Flag = Pick<GlobalFlag, 'flag' | 'short' | 'metavar'>;

/** A `--` that is the value of a flag does not count; `flags` are all that the command line may have. */
export function wordsAfterDashes(argv: readonly string[], flags: readonly Flag[]): readonly string[] {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') return argv.slice(at + 1);
    if (takesNextWord(word, flags)) at++;
  }
  return [];
}

/** `--name`, `-n`, `-wn`; not `--name=TEXT`, not `-nTEXT`. */
function takesNextWord(word: string, flags: readonly Flag[]): boolean {
  if (word.startsWith('--')) return flags.some(({ flag, metavar }) => flag === word && metavar !== undefined);
  if (!word.startsWith('-')) return false;
  const letters = Array.from(word.slice(1));
  const valueAt = letters.findIndex((letter) =>
    flags.some(({ short, metavar }) => short === `-${letter}` && metavar !== undefined),
  );
  return valueAt !== -1 && valueAt === letters.length - 1;
}
