import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellLines } from '../../../src/core/message.ts';

test('a command on several lines is the same words for bash when it is pasted', () => {
  const word = fc.oneof(
    fc.stringMatching(/^[ -~]{0,30}$/),
    fc.constantFrom('a b', "it's", '--option=value', 'x\ny', '\\'),
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 80 }), (words, columns) => {
      const script = `printf '%s\\0' ${shellLines(words, columns)}\n`;
      const { stdout } = spawnSync('bash', ['-s'], { input: script, encoding: 'utf8' });
      expect(stdout.split('\0').slice(0, -1)).toEqual(words);
    }),
    { numRuns: 60 },
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
