import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/documents/pages.ts';

// The recipes of schedulers that are not installed here: their syntax, as the programs that read them see it.

const FOLDER = path.join(ROOT, 'docs/schedulers');
const names = readdirSync(FOLDER);
const textOf = (name: string): string => readFileSync(path.join(FOLDER, name), 'utf8');

test.each(names.filter((name) => name.endsWith('.sh')))('bash reads %s', (name) => {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: textOf(name), encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

test('Python reads the DAG of Airflow', () => {
  const { status, error } = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
    input: textOf('airflow.py'),
  });
  expect(error === undefined ? status : 0).toBe(0);
});

test('the rules of Snakemake ask for each shard once, by names that the rule of a shard makes', () => {
  const [, all = '', shard = ''] = textOf('Snakefile').split(/^(?=rule )/m);
  // Without a first rule that names files, Snakemake refuses the wildcard.
  const [, wanted, from, to] = /^rule all:\n {4}input: expand\("(.+)", i=range\((\d+), (\d+)\)\)\n/.exec(all) ?? [];
  expect(/^ {4}output: touch\("(.+)"\)$/m.exec(shard)?.[1]).toBe(wanted);
  expect(/--shard \{wildcards\.i\}\/(\d+) /.exec(shard)?.[1]).toBe(String(Number(to) - 1));
  expect(from).toBe('1');
});

test.each(names)('%s names a shard, an input and a results file', (name) => {
  expect(textOf(name)).toMatch(/berth jobs batch run \w+ --input \S+.* --out /);
  expect(textOf(name)).toMatch(/--shard|BERTH_SHARD/);
});
