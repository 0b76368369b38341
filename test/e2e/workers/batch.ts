import { expect } from 'vitest';
import { SHAPES } from './shapes.ts';
import { localExec, type Folder, type Health } from './support.ts';

interface ResultLine {
  readonly item: number;
  readonly status: string;
  readonly output: unknown;
}

/**
 * Serves `count` jobs of a batch by the worker of each shape, all at once, and compares every result with its input: none lost, none
 * twice.
 */
export async function serveBatches(folder: Folder, count: number, flags: readonly string[] = []): Promise<void> {
  folder.write('items.jsonl', Array.from({ length: count }, (_, n) => `{"n":${String(n)}}\n`).join(''));
  const batch = ({ name }: { readonly name: string }): string => `(
    berth endpoints update ${name} --workers-max 3 --request-count 4 > /dev/null
    berth jobs batch run ${name} --input items.jsonl --out ${name}.jsonl > ${name}.counts
    berth health ${name} --json > ${name}.health
  ) &`;
  const endpoints = SHAPES.flatMap(({ name }) => ['--endpoint', `${name}=${name}.py`]);
  const { code, stderr } = await localExec(
    folder,
    [...endpoints, '--no-queue-limits', '--quota', 'minute=100000,hour=1000000,day=1000000', ...flags],
    `${SHAPES.map(batch).join('\n')}\nwait`,
  );
  expect(code, stderr).toBe(0);
  for (const { name, output } of SHAPES) {
    const results = folder.lines(`${name}.jsonl`).map((line) => JSON.parse(line) as ResultLine);
    results.sort((a, b) => a.item - b.item);
    expect([name, results.map(({ item, status, output: found }) => [item, status, found])], stderr).toEqual([
      name,
      Array.from({ length: count }, (_, n) => [n + 1, 'COMPLETED', output(n)]),
    ]);
    const ran = folder.lines(`${name}.ran`).map((line) => line.split(' ')[0]);
    expect([name, ran.length, new Set(ran).size]).toEqual([name, count, count]);
    const { jobs } = JSON.parse(folder.read(`${name}.health`)) as Health;
    expect(jobs).toMatchObject({ completed: count, failed: 0, inProgress: 0, inQueue: 0, retried: 0 });
  }
}
