import { appendFileSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checksumOfRecord, encodeRecord } from '../../../../../src/batch/store/record.ts';
import {
  items,
  local,
  OUT,
  RUN,
  createBatchWorld,
  secondProcess,
  write,
} from '../../../../support/batch/command-fixture.ts';
import { mixedItems, writeBatch } from '../../../../support/batch/written-batch.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld, type TestWorldOptions } from '../../../../support/worlds/test-world.ts';

const REPORT = ['jobs', 'batch', 'report', OUT];
const STATUS = ['jobs', 'batch', 'status', OUT];

interface Report {
  readonly [member: string]: unknown;
  readonly failures: readonly { readonly pattern: string; readonly count: number; readonly examples: unknown[] }[];
}

function worldWith(count: number, options: TestWorldOptions = {}): TestWorld {
  const world = createTestWorld(options);
  writeBatch(world.directory, mixedItems(count));
  return world;
}

async function reportOf(world: TestWorld): Promise<Report> {
  const ran = await berthIn(world, [...REPORT, '--json']);
  expect([ran.code, ran.err]).toEqual([0, '']);
  return JSON.parse(ran.out) as Report;
}

describe('the report of a batch', () => {
  test('on a terminal of 80 columns', async () => {
    const ran = await berthIn(worldWith(400, { tty: true, columns: 80, env: { NO_COLOR: '1' } }), REPORT);
    expect(ran.code).toBe(0);
    for (const line of ran.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    await expect(ran.out).toMatchFileSnapshot('../../../../golden/jobs/batch-report-80.txt');
  });

  test('as JSON accounts for every item, and groups failures by pattern', async () => {
    const report = await reportOf(worldWith(4));
    await expect(`${JSON.stringify(report, null, 2)}\n`).toMatchFileSnapshot(
      '../../../../golden/jobs/batch-report.json',
    );
    const { planned, completed, failed, timedOut, expired, waiting } = report as unknown as Record<string, number>;
    expect(planned).toBe((completed ?? 0) + (failed ?? 0) + (timedOut ?? 0) + (expired ?? 0) + (waiting ?? 0));
    const grouped = report.failures.reduce((sum, { count }) => sum + count, 0);
    expect(grouped).toBe((failed ?? 0) + (timedOut ?? 0) + (expired ?? 0));
  });

  test('of a killed batch leaves out what its journal does not have', async () => {
    const world = worldWith(40);
    const before = await reportOf(world);
    appendFileSync(join(world.directory, OUT), '{"item":40,"job":"job-40","status":"FAILED","error":"half wri');
    appendFileSync(join(world.directory, `${OUT}.journal`), '0123abcd 40 ["e",4');
    expect(await reportOf(world)).toEqual(before);
  });

  test('of a batch that was killed while its results were sorted reads the sorted ones', async () => {
    const world = worldWith(40);
    const before = await reportOf(world);
    const path = join(world.directory, OUT);
    const { resultBytes, checksum } = lastExtent(readFileSync(`${path}.journal`, 'utf8'));
    renameSync(path, `${path}.ordered`);
    writeFileSync(path, 'x'.repeat(resultBytes));
    const last = readFileSync(`${path}.journal`, 'utf8').trimEnd().split('\n').at(-1) ?? '';
    const record = { kind: 'ordered', bytes: resultBytes, checksum } as const;
    appendFileSync(`${path}.journal`, encodeRecord(record, checksumOfRecord(last)).line);
    expect(await reportOf(world)).toEqual({ ...before, unordered: undefined });
  });

  test('counts an item that was sent again once, by its last result', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(4, ',"error":"out of memory: 12 GiB"'));
    await berthIn(world, ['jobs', 'batch', 'run', 'fail', ...RUN.slice(4)]);
    const before = await reportOf(secondProcess(world));
    expect(before).toMatchObject({
      failed: 4,
      resubmitted: 0,
      failures: [{ pattern: 'out of memory: <n> GiB', count: 4 }],
    });
    await local(world, 'fault', 'add', 'accept-drop', '--match', 'POST /v2/fail/run', '--count', '1');
    await berthIn(secondProcess(world), ['jobs', 'batch', 'resume', OUT, '--resubmit', 'failed']);
    const after = await reportOf(secondProcess(world));
    expect(after).toMatchObject({ failed: 3, unknown: 1, resubmitted: 4, failures: [{ count: 3 }] });
  });

  test('fails with 14 when the results are not what the batch wrote; its status still has the counts', async () => {
    const world = worldWith(40);
    const path = join(world.directory, OUT);
    writeFileSync(path, readFileSync(path, 'utf8').replace('COMPLETED', 'XOMPLETED'));
    const ran = await berthIn(world, REPORT);
    expect([ran.code, ran.err]).toEqual([14, expect.stringContaining('different from what its journal records')]);
    const status = await berthIn(world, [...STATUS, '--json']);
    expect([status.code, JSON.parse(status.out)]).toEqual([0, expect.objectContaining({ planned: 40, waiting: 2 })]);
  });
});

describe('the page', () => {
  test('shows the numbers of --json, has no script and no address, and every text escaped', async () => {
    const world = worldWith(400);
    const report = await reportOf(world);
    const ran = await berthIn(world, [...REPORT, '--html', 'report.html']);
    expect([ran.code, ran.err]).toEqual([0, 'wrote report.html\n']);
    const page = readFileSync(join(world.directory, 'report.html'), 'utf8');
    expect(page).not.toMatch(/<script|\u202e|https?:|\bsrc=|url\(|@import|\son\w+=/i);
    expect(page.match(/href="[^"]*"/g)).toEqual(['href="data:,"']);
    expect(page).toContain('prefers-color-scheme: dark');
    expect(page).toContain(
      '<code>&lt;script&gt;alert(&lt;n&gt;)&lt;/script&gt;\\u202e &amp; &quot;quoted&quot;</code>',
    );
    const rows = [...page.matchAll(/^.*?<tr><th>(.*?)<\/th><td>([\d,]+)<\/td>/gm)].map(
      ([, label = '', count = '']) => [label, Number(count.replace(',', ''))] as const,
    );
    for (const [label, member] of [
      ['completed', 'completed'],
      ['failed', 'failed'],
      ['timed out', 'timedOut'],
      ['expired', 'expired'],
      ['waiting', 'waiting'],
    ] as const)
      expect(rows).toContainEqual([label, report[member]]);
    expect(page).toContain('280 of 400 items');
    expect(page).toContain('p50 620ms, p95 1m, p99 1m, max 1m');
    expect(rows).toContainEqual(['500ms to 1s', 165]);
    expect(rows).toContainEqual(['200ms to 500ms', 204]);
    const counts = rows.filter(([label]) => label.includes('<code>')).map(([, count]) => count);
    expect(counts).toEqual(report.failures.map(({ count }) => count));
  });

  test('replaces the page of an earlier report and an empty file, and no other file', async () => {
    const world = worldWith(4);
    const [page, linked] = [join(world.directory, 'page.html'), join(world.directory, 'link.html')];
    writeFileSync(page, '');
    for (const _ of ['the first', 'again'])
      expect((await berthIn(world, [...REPORT, '--html', 'page.html'])).code).toBe(0);
    symlinkSync(OUT, linked);
    const before = readFileSync(join(world.directory, OUT), 'utf8');
    const { code, err } = await berthIn(world, [...REPORT, '--html', 'link.html']);
    expect([code, err]).toEqual([14, expect.stringContaining('link.html exists and is not the page of a batch')]);
    expect(readFileSync(join(world.directory, OUT), 'utf8')).toBe(before);
  });
});

function lastExtent(journal: string): { readonly resultBytes: number; readonly checksum: number } {
  const [, , , resultBytes, checksum] = JSON.parse(/(\["e",.*\])\n$/.exec(journal)?.[1] ?? '[]') as number[];
  return { resultBytes: resultBytes ?? 0, checksum: checksum ?? 0 };
}
