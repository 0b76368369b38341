import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { describe, expect, test } from 'vitest';

interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly about: string;
  readonly tests: readonly string[];
}

const root = join(import.meta.dirname, '../../..');

describe('the mutations of mutation-trials', async () => {
  const { MUTATIONS, mutate, testPath } = (await import(pathToFileURL(join(root, 'test/mutations/list.mjs')).href)) as {
    MUTATIONS: readonly Mutation[];
    mutate: (mutation: Mutation, read: (file: string) => string) => ReadonlyMap<string, string>;
    testPath: (name: string) => string;
  };
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  const compile = (source: string): string => transformSync(source, { loader: 'ts' }).code;

  test('have names of their own', () => {
    expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
  });

  test('apply to exactly one place each, and change the program', () => {
    for (const mutation of MUTATIONS)
      for (const [file, text] of mutate(mutation, read))
        expect(compile(text), mutation.name).not.toBe(compile(read(file)));
  });

  test('name test files that exist', () => {
    const missing = MUTATIONS.flatMap(({ tests }) => tests.map(testPath)).filter(
      (path) => !existsSync(join(root, path)),
    );
    expect(missing).toEqual([]);
  });

  test('whose text is gone or occurs twice are refused', () => {
    const [mutation] = MUTATIONS;
    if (mutation === undefined) throw new Error('no mutations');
    const original = read(mutation.file);
    expect(() => mutate(mutation, () => '')).toThrow('occurs 0 times');
    expect(() => mutate(mutation, () => original + original)).toThrow('occurs 2 times');
  });
});
