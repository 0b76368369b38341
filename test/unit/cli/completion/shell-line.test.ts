import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quotedForBash, splitLine } from '../../../../src/cli/completion/entry.ts';

/** The default COMP_WORDBREAKS of bash. */
const BREAKS = ' \t\n"\'@><=;|&(:';

describe('splitLine', () => {
  it.each([
    ['berth pods ', ['berth', 'pods', ''], ''],
    ['berth  pods', ['berth', 'pods'], ''],
    [String.raw`berth a\ b "c d" 'e "f' g`, ['berth', 'a b', 'c d', 'e "f', 'g'], ''],
    ['berth --status=RUN', ['berth', '--status=RUN'], '--status='],
    ['berth --volume a:b', ['berth', '--volume', 'a:b'], 'a:'],
    ['berth --volume "a:b', ['berth', '--volume', 'a:b'], ''],
    ['berth --input @fi', ['berth', '--input', '@fi'], ''],
    ['berth --input=@fi', ['berth', '--input=@fi'], '--input='],
    ["berth ''", ['berth', ''], ''],
    ["berth '' x", ['berth', '', 'x'], ''],
  ])('%s', (line, words, kept) => {
    const split = splitLine(line, BREAKS);
    expect(split.words).toEqual(words);
    expect(split.last.kept).toBe(kept);
  });
});

describe('quotedForBash', () => {
  const value = fc
    .string({ unit: 'grapheme' })
    .filter((text) => !/[\n\r\t\v\f\u0085\u00a0\p{Zs}]/u.test(text.replaceAll(' ', '')));

  it.each(['', '"', "'"] as const)('gives a word that reads as the value, after %s', (quote) => {
    fc.assert(
      fc.property(
        value.filter((text) => text !== ''),
        (text) => {
          const line = `berth ${quote}${quotedForBash(text, { quote, kept: '' })}`;
          expect(splitLine(line, '').words).toEqual(['berth', text]);
        },
      ),
    );
  });
});
