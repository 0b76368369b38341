import { describe, expect, test } from 'vitest';
import { loadPaint } from '../../../../src/output/text/colour.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { POD_BODY } from '../../../support/local/service-fixture.ts';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { frameOf, NOW, sampleFleet } from '../../../support/top/sample-fleet.ts';
import { CREATE } from '../../../support/worlds/guard-account.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

describe('the deadline of a pod is shown wherever the pod is', () => {
  const terminal = { tty: true, columns: 160 } as const;

  test('pods list has a column on a terminal where any pod has one; get and --json say it', async () => {
    const account = createAccount(createTestClock());
    expect((await account('pods list', terminal)).out).not.toContain('DEADLINE');
    await local(account, `${CREATE} lab --stop-after 4h`);
    await local(account, 'local clock advance 48m');
    const listed = (await account('pods list', terminal)).out.split('\n');
    expect(listed.find((line) => line.includes('DEADLINE'))).toBeDefined();
    expect(listed.find((line) => line.includes(' lab '))).toMatch(/stops in 3h1\d/);
    expect(await local(account, 'pods get lab')).toMatch(/stop after\t.*\(in 3h1\dm.*, when a guard runs\)/);
    const { env } = JSON.parse(await local(account, 'pods get lab --json')) as { readonly env: unknown };
    expect(env).toMatchObject({ BERTH_STOP_AFTER: '4h' });
  });

  test('top counts down, and warns ten minutes before', async () => {
    const paint = await loadPaint(true);
    const shown = async (minutes: number): Promise<string> => {
      const end = new Date(NOW + minutes * 60_000).toISOString();
      const fleet = sampleFleet();
      fleet.pods = (fleet.pods ?? []).map((pod) =>
        (pod as { readonly id: string }).id === 'pod-train'
          ? {
              ...(pod as object),
              startedAt: '2026-01-01T00:00:00Z',
              env: { BERTH_STOP_AFTER: end },
            }
          : pod,
      );
      const lines = await frameOf(fleet, { columns: 160, rows: 20 }, {}, paint);
      expect(lines.join('\n')).toContain('ENDS IN');
      return lines.find((line) => line.includes('train-llm')) ?? '';
    };
    const yellow = (text: string): RegExp => new RegExp(`\\u001b\\[33m *${text}`);
    expect(await shown(11)).toContain('11m');
    expect(await shown(11)).not.toMatch(yellow('11m'));
    expect(await shown(9)).toMatch(yellow('9m'));
    expect(await shown(-1)).toContain('overdue');
  });
});

test('a run of a guard sends one list, and a read and a write for each pod that it stops', async () => {
  const remote = await remoteService();
  const world = createTestWorld({ env: remote.env });
  for (let at = 0; at < 40; at++)
    await remote.send('POST', '/v2/pods', {
      ...POD_BODY,
      name: `p-${String(at)}`,
      ...(at < 5 ? { env: { BERTH_STOP_AFTER: '1h' } } : {}),
    });
  for (const clock of [remote.clock, world.clock]) clock.advance(60_000);
  await remote.send('GET', '/v2/pods');
  for (const clock of [remote.clock, world.clock]) clock.advance(2 * 3_600_000);
  const before = remote.server.seen.length;
  const ran = await berthIn(world, ['guard', 'run', '--max-age', '52w', '--json']);
  expect(ran.code, ran.err).toBe(15);
  const sent = remote.server.seen
    .slice(before)
    .map(({ method, url }) => `${method} ${(url.split('?', 1)[0] ?? '').replace(/pods\/[^/]+/, 'pods/ID')}`);
  expect(sent.toSorted()).toEqual(
    [
      'GET /v2/pods',
      ...Array.from({ length: 5 }, () => 'GET /v2/pods/ID'),
      ...Array.from({ length: 5 }, () => 'POST /v2/pods/ID/action'),
    ].toSorted(),
  );
});
