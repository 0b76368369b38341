import { spawnSync } from 'node:child_process';
import { expect, it, test } from 'vitest';
import { PAGES } from '../support/documents/pages.ts';

// The recipes of schedulers that are not installed here: their syntax, as the programs that read them see it.

const blocks = PAGES.find(({ name }) => name === 'docs/guides/batch-recipes.md')?.blocks ?? [];
const textsIn = (language: string): readonly string[] =>
  blocks.filter((block) => block.language === language).map(({ text }) => text);

it('has a recipe for each scheduler', () => {
  expect(blocks.map(({ language }) => language)).toEqual(['sh', 'bash', 'bash', 'yaml', 'python', 'python']);
});

test.each(textsIn('bash'))('bash reads %#', (text) => {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

test('Python reads the DAG of Airflow', () => {
  const [dag = ''] = textsIn('python');
  const { status, error } = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
    input: dag,
  });
  expect(error === undefined ? status : 0).toBe(0);
});

test('the rules of Snakemake ask for each shard once, by names that the rule of a shard makes', () => {
  const [, rules = ''] = textsIn('python');
  const [all = '', shard = ''] = rules.split(/^(?=rule )/m);
  // Without a first rule that names files, Snakemake refuses the wildcard.
  const [, wanted, from, to] = /^rule all:\n {4}input: expand\("(.+)", i=range\((\d+), (\d+)\)\)\n/.exec(all) ?? [];
  expect(/^ {4}output: touch\("(.+)"\)$/m.exec(shard)?.[1]).toBe(wanted);
  expect(/--shard \{wildcards\.i\}\/(\d+) /.exec(shard)?.[1]).toBe(String(Number(to) - 1));
  expect(from).toBe('1');
});

test.each(blocks)('each command names a shard, an input and a results file (%#)', ({ text }) => {
  expect(text).toMatch(/berth jobs batch run \w+ --input \S+.* --out /);
  expect(text).toMatch(/--shard|BERTH_SHARD/);
});
