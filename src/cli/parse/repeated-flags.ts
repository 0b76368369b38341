import { type Failure, usage } from '../../core/failure.ts';
import type { GlobalFlag } from '../model/global-flags.ts';
import type { Param } from '../model/params.ts';

export interface GivenWords {
  readonly argv: readonly string[];
  readonly alias?: AliasWords | undefined;
}

/** `at` counts from 0; `count` words replace the alias. */
export interface AliasWords {
  readonly name: string;
  readonly at: number;
  readonly count: number;
}

type Flag = Pick<Param<unknown>, 'short' | 'onlyOne'>;

/** Usage (2) with each value and its place: to drop one silently may cost money. */
export function repeatedFlag(name: string, flag: Flag, texts: readonly string[], given: GivenWords): Failure {
  const all = placesOf([name, ...(flag.short === undefined ? [] : [flag.short])], texts, given);
  const times = all.length === 2 ? 'twice' : `${String(all.length)} times`;
  return usage(
    `${name} takes one value, and is given ${times}: ${all.join(', ')}`,
    flag.onlyOne ?? 'Keep one of them.',
  );
}

export function refuseRepeatedGlobals(
  flags: readonly GlobalFlag[],
  texts: ReadonlyMap<string, readonly string[]>,
  given: GivenWords,
): void {
  for (const { name, flag, short, commas } of flags) {
    const values = texts.get(name) ?? [];
    const onlyOne = commas === true ? `Write several with commas: ${flag} A,B.` : undefined;
    if (values.length > 1)
      throw repeatedFlag(
        flag,
        { ...(short === undefined ? {} : { short }), ...(onlyOne === undefined ? {} : { onlyOne }) },
        values,
        given,
      );
  }
}

/** `"a" (word 4)`, `"b" (in the alias mine)`. The first word after `berth` is word 1. */
function placesOf(names: readonly string[], texts: readonly string[], { argv, alias }: GivenWords): readonly string[] {
  let from = 0;
  return texts.map((text) => {
    const at = argv.findIndex((_, place) => place >= from && holdsValue(place, names, text, argv));
    if (at === -1) return JSON.stringify(text);
    from = at + 1;
    return `${JSON.stringify(text)} (${describePlace(at, alias)})`;
  });
}

/** `--name TEXT`, `--name=TEXT`, `-n TEXT`, `-nTEXT`, `-wn TEXT`. */
function holdsValue(at: number, names: readonly string[], text: string, argv: readonly string[]): boolean {
  const [before = '', word = ''] = [argv[at - 1], argv[at]];
  return names.some((name) =>
    name.startsWith('--')
      ? (word === text && before === name) || word === `${name}=${text}`
      : (word === text && /^-[^-]/.test(before) && before.endsWith(name.slice(1))) ||
        (/^-[^-]/.test(word) && word.endsWith(`${name.slice(1)}${text}`)),
  );
}

function describePlace(at: number, alias: AliasWords | undefined): string {
  if (alias === undefined || at < alias.at) return `word ${String(at + 1)}`;
  return at < alias.at + alias.count ? `in the alias ${alias.name}` : `word ${String(at - alias.count + 2)}`;
}
