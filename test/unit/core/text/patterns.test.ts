import { expect, test } from 'vitest';
import { compileGlobs, compilePathGlob } from '../../../../src/core/patterns.ts';

type Case = readonly [pattern: string, hits: readonly string[], misses: readonly string[]];

test.each<Case>([
  ['train-*', ['train-llm', 'train-', 'train-a/b'], ['pretrain-llm', 'Train-1', '']],
  ['*', ['team/web', '.hidden', 'two\nlines'], []],
  ['web-?', ['web-1', 'web-🚀'], ['web-10', 'web-']],
  ['pod-[0-9]', ['pod-1'], ['pod-10', 'pod-a']],
  ['[!a-c]*', ['dog', ']'], ['ant', 'cat']],
  ['[', ['['], ['a']],
  ['{web,api}-{1,2}', ['web-1', 'api-2'], ['db-1', 'web-3', '{web,api}-1']],
  ['{a,{b,c}}', ['a', 'b', 'c'], ['{a,b}']],
  ['{web}', ['{web}'], ['web']],
  ['!{web,api}', ['db'], ['web', 'api']],
  [String.raw`a\*`, ['a*'], ['ab']],
  ['train(1)', ['train(1)'], ['train1']],
])('the pattern %j for names', (pattern, hits, misses) => {
  const matches = compileGlobs([pattern, pattern], '--match');
  expect([...hits, ...misses].filter(matches)).toEqual(hits);
});

test.each<Case>([
  ['a/*.jsonl', ['a/b.jsonl', 'a/.jsonl'], ['a/b/c.jsonl', 'b.jsonl', 'a/b.jsonl.gz']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/xb', 'ab', 'a/b/c']],
  ['**/b', ['b', 'a/b'], ['ab', 'a/xb']],
  ['a/**', ['a/', 'a/b', 'a/b/c'], ['a', 'b/a/c']],
  ['a?b', ['axb'], ['a/b', 'ab']],
  ['a[!x]b', ['ayb'], ['a/b', 'axb']],
  ['{a/b,c}/**/*.csv', ['a/b/1.csv', 'c/1.csv', 'c/d/1.csv'], ['a/1.csv', 'b/1.csv']],
  ['!a', ['!a'], ['b']],
])('the pattern %j for paths', (pattern, hits, misses) => {
  expect([...hits, ...misses].filter(compilePathGlob(pattern))).toEqual(hits);
});

test.each(['', '!', '[z-a]'])('the pattern %j is refused (2)', (pattern) => {
  expect(() => compileGlobs([pattern], '--match')).toThrow(expect.objectContaining({ exit: 2 }) as Error);
});
