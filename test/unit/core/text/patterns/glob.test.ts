import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { compileGlobs } from '../../../../../src/core/patterns.ts';

const matches = (pattern: string, name: string): boolean => compileGlobs([pattern], '--match')(name);

describe('a pattern for names', () => {
  test.each([
    ['train-*', ['train-llm', 'train-', 'train-a/b', 'train-日本'], ['pretrain-llm', 'team/train-llm', 'Train-1', '']],
    ['*', ['team/web', '.hidden', 'two\nlines', 'name with spaces'], []],
    ['web', ['web'], ['web2', 'xweb', 'Web']],
    ['web-?', ['web-1', 'web-🚀'], ['web-10', 'web-']],
    ['web-[12]', ['web-2'], ['web-3', 'web-12']],
    ['pod-[0-9]', ['pod-1'], ['pod-10', 'pod-a']],
    ['[!a-c]*', ['dog', ']'], ['ant', 'cat']],
    ['[]a]', [']', 'a'], ['b']],
    ['[', ['['], ['a']],
    ['[]', ['[]'], ['[', ']']],
    ['[a-c', ['[a-c'], ['a']],
    ['{web,api}-{1,2}', ['web-1', 'api-2'], ['db-1', 'web-3', '{web,api}-1']],
    ['{a,{b,c}}', ['a', 'b', 'c'], ['{a,b}']],
    ['{web}', ['{web}'], ['web']],
    ['{x}{a,b}', ['{x}a', '{x}b'], ['xa']],
    ['!web-*', ['api-1'], ['web-1']],
    ['!{web,api}', ['db'], ['web', 'api']],
    [String.raw`a\*`, ['a*'], ['ab']],
    [String.raw`\!web`, ['!web'], ['web', 'api']],
    ['train(1)', ['train(1)'], ['train1']],
    ['C++', ['C++'], ['C']],
    ['a/', ['a/'], ['a']],
    ['ä*', ['äb'], ['ab']],
    ['constructor', ['constructor'], ['toString']],
  ])('%j', (pattern, hits, misses) => {
    expect(hits.filter((name) => !matches(pattern, name))).toEqual([]);
    expect(misses.filter((name) => matches(pattern, name))).toEqual([]);
  });

  it('is one of several', () => {
    const either = compileGlobs(['web', 'api-*'], '--match');
    expect(['web', 'api-1', 'db'].map(either)).toEqual([true, true, false]);
  });

  test.each(['', '!'])('%j is refused (2)', (pattern) => {
    expect(() => compileGlobs([pattern], '--match')).toThrow(expect.objectContaining({ exit: 2 }) as Error);
  });

  it('never fails for a text that is not empty, and matches every name of letters as itself', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 2, unit: 'binary' }),
        fc.stringMatching(/^[a-z][a-z0-9-]*$/),
        (pattern, name) => {
          expect(typeof matches(pattern, name)).toBe('boolean');
          expect(matches(name, name)).toBe(true);
          expect(matches('*', pattern)).toBe(true);
        },
      ),
    );
  });
});
