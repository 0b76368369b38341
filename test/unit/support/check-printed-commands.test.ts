import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { berth, NO_WORDS, printed, sentence } from '../../../src/core/message.ts';
import { commandsIn } from '../../support/worlds/check-printed-commands.ts';

// Every run of a test reads the commands that were printed as `commandsIn` splits them: it must split them as a shell does.

/** The words of `berth` in each line, as /bin/sh makes them. */
function inShell(lines: readonly string[]): readonly (readonly string[])[] {
  const program = `berth() { printf '%s\\0' "$@"; printf '\\1\\0'; }\n${lines.join('\n')}\n`;
  const out = execFileSync('/bin/sh', ['-c', program], { encoding: 'utf8', env: { PATH: '/bin:/usr/bin' } });
  return out
    .split('\u0001\0')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1));
}

const word = fc.oneof(
  fc.constantFrom(
    'a b',
    "it's",
    '$(id)',
    '`id`',
    '$HOME',
    'a;b',
    '~',
    '#x',
    '*',
    '!!',
    'ends.',
    '100%',
    'Zürich',
    '-rf',
    '',
  ),
  fc.string({ unit: fc.constantFrom(...'ab \'"$`\\;|&<>(){}[]*?~#=:,.!-/@%'.split('')), maxLength: 6 }),
);

test('commands in a text are split into the words that a shell makes of them', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 20 }), (pairs) => {
      const commands = pairs.map(([id, value]) => berth`pods get ${id} --fields ${value} --watch`);
      const accountWords = { ...NO_WORDS, account: ['--profile', 'other'] };
      const expected = inShell(commands.map((command) => printed(command, { accountWords })));
      const found = commands.map((command) => commandsIn(printed(sentence`See ${command}.`, { accountWords })));
      expect(found).toEqual(expected.map((words) => [words]));
    }),
    { numRuns: 30 },
  );
});
