import { describe, expect, it, test } from 'vitest';
import { json, pointedAt, routed, serve } from '../../support/servers/scripted-server.ts';
import { berth, berthIn } from '../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../support/worlds/test-world.ts';

interface Printed {
  readonly id: string;
  readonly ok?: boolean;
}
const idsIn = (out: string): readonly string[] => (JSON.parse(out) as readonly Printed[]).map(({ id }) => id);

describe('get with several ids', () => {
  const get = async (...argv: readonly string[]) => await berth(['--local', 'pods', 'get', ...argv]);

  it('prints an array with --json, a line for each with jsonl, and the document with one id', async () => {
    expect(idsIn((await get('pod-web', 'train-llm', '--json')).out)).toEqual(['pod-web', 'pod-train']);
    const lines = (await get('pod-web', 'pod-train', '-o', 'jsonl')).out.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Printed).id)).toEqual(['pod-web', 'pod-train']);
    expect((JSON.parse((await get('pod-web', '--json')).out) as Printed).id).toBe('pod-web');
  });

  it('prints those that it read where one is not there, and ends 4', async () => {
    const table = await get('pod-web', 'none', 'pod-train');
    expect([table.code, table.out.split('\n').map((row) => row.split('\t')[0])]).toEqual([
      4,
      ['ID', 'pod-web', 'pod-train', ''],
    ]);
    expect(table.err).toMatch(/1 of 3 did not go through[^]*none: /);
    expect((await get('pod-web', 'none', '-o', 'id')).out).toBe('pod-web\n');
    const document = await get('pod-web', 'none', '--json');
    expect([document.code, JSON.parse(document.out)]).toEqual([
      4,
      [expect.objectContaining({ id: 'pod-web' }), expect.objectContaining({ id: 'none', ok: false })],
    ]);
  });

  it('--exit-status is that of the worst', async () => {
    expect((await get('pod-web', 'pod-broken', '--exit-status')).code).toBe(10);
  });

  it('--watch ends when all have ended, also where one is gone', async () => {
    const argv = ['pods', 'get', 'pod-broken', 'a', 'none', '--watch', '-o', 'id'];
    const server = await serve([
      routed({
        'GET /v2/pods/pod-broken': json({ id: 'pod-broken', status: 'ERROR' }),
        'GET /v2/pods/a': json({ id: 'a', status: 'TERMINATED' }),
      }),
    ]);
    const { code, out } = await berth(argv, { env: pointedAt(server.url) });
    expect([code, out.split('\n').filter(Boolean)]).toEqual([4, ['pod-broken', 'a']]);
  });

  test.each([
    ['endpoints', 'echo', 'demo'],
    ['volumes', 'vol-datasets', 'vol-scratch'],
  ])('%s get', async (noun, one, other) => {
    const { code, out } = await berth(['--local', noun, 'get', one, other, '--json']);
    expect([code, idsIn(out)]).toEqual([0, [one, other]]);
  });
});

describe('jobs status with several ids', () => {
  it('has a row for each job, and --exit-status of the worst', async () => {
    const world = createTestWorld();
    const run = async (...argv: readonly string[]) => await berthIn(world, ['--local', 'jobs', ...argv]);
    const jobs: string[] = [];
    for (const n of [1, 2])
      jobs.push((await run('run', 'echo', '--input', JSON.stringify({ n }), '--wait', '-o', 'id')).out.trim());
    const both = await run('status', 'echo', ...jobs, '--json', '--exit-status');
    expect([both.code, idsIn(both.out)]).toEqual([0, jobs]);
    const missing = await run('status', 'echo', ...jobs, 'none', '-o', 'jsonl');
    expect([missing.code, missing.out.trim().split('\n')]).toEqual([4, expect.objectContaining({ length: 3 })]);
    const one = await run('status', 'echo', jobs[0] ?? '', '--json');
    expect((JSON.parse(one.out) as Printed).id).toBe(jobs[0]);
  });
});
