import { describe, expect, test } from 'vitest';
import { compilePathGlob } from '../../../../../src/core/patterns.ts';

const CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['a/*.jsonl', ['a/b.jsonl', 'a/.jsonl'], ['a/b/c.jsonl', 'b.jsonl', 'a/b.jsonl.gz']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/xb', 'ab', 'a/b/c']],
  ['**/b', ['b', 'a/b'], ['ab', 'a/xb']],
  ['a/**', ['a/', 'a/b', 'a/b/c'], ['a', 'b/a/c']],
  ['a?b', ['axb'], ['a/b', 'ab']],
  ['a[/x]b', ['axb'], ['a/b']],
  ['a[!x]b', ['ayb'], ['a/b', 'axb']],
  ['{a/b,c}/*.csv', ['a/b/1.csv', 'c/1.csv'], ['a/1.csv', 'b/1.csv']],
  ['a\\*b', ['a*b'], ['axb']],
  ['!a', ['!a'], ['b']],
  ['s3://bucket/in/*.gz', ['s3://bucket/in/a.gz'], ['s3://bucket/in/a/b.gz', 's3://bucket/a.gz']],
];

describe('a pattern for paths', () => {
  test.each(CASES)('%s matches whole paths, folder by folder', (pattern, matching, other) => {
    const matches = compilePathGlob(pattern);
    expect([...matching, ...other].filter(matches)).toEqual(matching);
  });
});
