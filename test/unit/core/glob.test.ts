import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { compileGlobs } from '../../../src/core/glob.ts';
import { Failure } from '../../../src/core/failure.ts';

const matches = async (pattern: string, name: string): Promise<boolean> =>
  (await compileGlobs([pattern], '--match'))(name);

describe('a pattern for names', () => {
  test.each([
    ['train-*', 'train-llm', true],
    ['train-*', 'pretrain-llm', false],
    ['train-*', 'team/train-llm', false],
    ['*', 'team/web', true],
    ['*', '.hidden', true],
    ['*', 'two\nlines', true],
    ['web', 'web', true],
    ['web', 'web2', false],
    ['Web', 'web', false],
    ['web-?', 'web-1', true],
    ['web-?', 'web-10', false],
    ['web-[12]', 'web-2', true],
    ['{web,api}-*', 'api-1', true],
    ['!web-*', 'api-1', true],
    ['!web-*', 'web-1', false],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['train(1)', 'train(1)', true],
    ['C++', 'C++', true],
    ['[', '[', true],
    ['a/', 'a', false],
    ['ä*', 'äb', true],
  ])('%j and the name %j: %s', async (pattern, name, expected) => {
    expect(await matches(pattern, name)).toBe(expected);
  });

  it('is one of several', async () => {
    const either = await compileGlobs(['web', 'api-*'], '--match');
    expect(['web', 'api-1', 'db'].map(either)).toEqual([true, true, false]);
  });

  test.each(['', '!'])('%j is refused', async (pattern) => {
    await expect(compileGlobs([pattern], '--match')).rejects.toThrow(Failure);
  });

  it('never fails for a text that is not empty, and matches every name of letters as itself', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 2, unit: 'binary' }),
        fc.stringMatching(/^[a-z][a-z0-9-]*$/),
        async (pattern, name) => {
          expect(typeof (await matches(pattern, name))).toBe('boolean');
          expect(await matches(name, name)).toBe(true);
          expect(await matches('*', pattern)).toBe(true);
        },
      ),
    );
  });
});
