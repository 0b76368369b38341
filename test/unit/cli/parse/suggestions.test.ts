import { expect, it, test } from 'vitest';
import type { Command, Group } from '../../../../src/cli/command.ts';
import { FLAGS, NOUNS } from '../../../../src/registry.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

/** The words that lead to every group of the program, and its verbs. */
async function groups(): Promise<readonly (readonly [readonly string[], readonly string[]])[]> {
  const below = (path: readonly string[], target: Command | Group): (readonly [readonly string[], string[]])[] =>
    target.kind === 'command'
      ? []
      : [
          [path, Object.keys(target.commands)],
          ...Object.entries(target.commands).flatMap(([verb, inner]) => below([...path, verb], inner)),
        ];
  const trees = NOUNS.map(async ({ name, load }) => below([name], await load({ nouns: NOUNS, flags: FLAGS })));
  return (await Promise.all(trees)).flat();
}

/** The word with two letters in its middle swapped: `pdos`. */
function misspelt(word: string): string {
  const at = Math.max(1, Math.floor(word.length / 2) - 1);
  return word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2);
}

test('every verb of every group, misspelt, is the one suggested', async () => {
  for (const [path, verbs] of await groups())
    for (const verb of verbs) {
      const word = misspelt(verb);
      if (verbs.includes(word)) continue;
      const { code, out, err } = await berth([...path, word, '--tail', '3']);
      expect([code, out]).toEqual([2, '']);
      expect(err).toMatch(new RegExp(`^error: unknown command '${word}'\n  -> Did you mean .*\\b${verb}\\b`));
    }
});

test('every noun, misspelt, is the one suggested', async () => {
  for (const { name } of NOUNS) {
    if (misspelt(name) === name) continue;
    const { code, out, err } = await berth([misspelt(name), 'list', '--json']);
    expect([code, out]).toEqual([2, '']);
    expect((JSON.parse(err) as { error: { hint: string } }).error.hint).toMatch(
      new RegExp(`^Did you mean .*\\b${name}\\b`),
    );
  }
});

it.each([
  ['pods shwo', 'Did you mean get?'],
  ['pods lss', 'Did you mean list?'],
  ['pods descrbe pod-train', 'Did you mean get?'],
  ['jobs sohw demo x', 'Did you mean status?'],
  ['pods sta', 'Did you mean one of start, stop?'],
  ['pods gte pod-train --tail 3', 'Did you mean get?'],
  ['pods gte pod-train -n 3', 'Did you mean get?'],
  ['pods --tail 3', 'See `berth pods --help`.'],
  ['pods --jsno gte', 'Did you mean --json?'],
  ['pods zzzzz', 'See `berth pods --help`.'],
  ['help pdos', 'Did you mean pods?'],
  ['help exit-code', 'Did you mean exit-codes?'],
  ['help pods shwo', 'Did you mean get?'],
  ['help pods constructor', 'See `berth pods --help`.'],
])('%s: %s', async (line, hint) => {
  const { code, err } = await berth(line.split(' '));
  expect([code, err.split('\n')[1]]).toEqual([2, `  -> ${hint}`]);
});
