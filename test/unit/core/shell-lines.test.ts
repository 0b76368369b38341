import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellLines } from '../../../src/core/message.ts';

test('a command on several lines is the same words for bash when it is pasted', () => {
  const word = fc.oneof(
    fc.stringMatching(/^[ -~]{0,30}$/),
    fc.constantFrom('a b', "it's", '--option=value', 'x\ny', '\\'),
  );
  const lines = fc.tuple(fc.array(word, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 80 }));
  fc.assert(
    // Many commands for one bash: to start it takes longer than all of them.
    fc.property(fc.array(lines, { minLength: 20, maxLength: 30 }), (commands) => {
      const input = commands.map(([words, columns]) => `printf '%s\\0' ${shellLines(words, columns)}\n`).join('');
      const { stdout } = spawnSync('bash', ['-s'], { input, encoding: 'utf8' });
      expect(stdout.split('\0').slice(0, -1)).toEqual(commands.flatMap(([words]) => words));
    }),
    { numRuns: 2 },
  );
});

test.each([
  [['python', 'train.py', '--epochs', '30'], 20, 'python train.py \\\n--epochs 30'],
  [['python', 'train.py'], 15, 'python train.py'],
  [['a', 'longer-than-that', 'b'], 5, 'a \\\nlonger-than-that \\\nb'],
  [[], 5, ''],
])('%j in %d columns', (words, columns, text) => {
  expect(shellLines(words, columns)).toBe(text);
});
