import { expect } from 'vitest';
import { localExec, type Folder, type Health } from './support.ts';
import type { Shape } from './shapes.ts';

interface ResultLine {
  readonly item: number;
  readonly status: string;
  readonly output: unknown;
}

/**
 * Serves `count` jobs of a batch by `worker.py`, and compares every result with its input: none lost, none twice. Returns
 * what else the script printed.
 */
export async function serveBatch(
  folder: Folder,
  shape: Shape,
  count: number,
  flags: readonly string[] = [],
): Promise<void> {
  folder.write('items.jsonl', Array.from({ length: count }, (_, n) => `{"n":${String(n)}}\n`).join(''));
  const script = `
    berth endpoints update up --workers-max 6 --request-count 4 > /dev/null
    berth jobs batch run up --input items.jsonl --out results.jsonl > counts
    berth health up --json > health`;
  const { code, stderr } = await localExec(
    folder,
    ['--endpoint', 'up=worker.py', '--no-queue-limits', '--quota', 'minute=100000,hour=1000000,day=1000000', ...flags],
    script,
  );
  expect(code, stderr).toBe(0);
  const results = folder.lines('results.jsonl').map((line) => JSON.parse(line) as ResultLine);
  results.sort((a, b) => a.item - b.item);
  expect(results.map(({ item, status, output }) => [item, status, output])).toEqual(
    Array.from({ length: count }, (_, n) => [n + 1, 'COMPLETED', shape.output(n)]),
  );
  const ran = folder.lines('ran').map((line) => line.split(' ')[0]);
  expect([ran.length, new Set(ran).size]).toEqual([count, count]);
  const { jobs } = JSON.parse(folder.read('health')) as Health;
  expect(jobs).toMatchObject({ completed: count, failed: 0, inProgress: 0, inQueue: 0, retried: 0 });
}
