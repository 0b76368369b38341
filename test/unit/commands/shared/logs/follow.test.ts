import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { expectNoKeyNoStack, works } from '../../../../support/worlds/expect-run.ts';
import { pointedAt, serve, text, type Behaviour } from '../../../../support/servers/scripted-server.ts';
import { berth, berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';
import {
  EVENTS,
  expected,
  lines,
  logServer,
  numbers,
  until,
  written,
  type Connection,
} from '../../../../support/servers/log-server.ts';

const follow = ['pods', 'logs', 'p1', '--follow'];

describe('pods logs --follow', () => {
  it('loses no line and repeats no line, whatever the connections do', async () => {
    const connection = fc.record<Connection>({
      sends: fc.nat(4),
      ends: fc.constantFrom('reset', 'end', 'cut', 'unavailable'),
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(15), fc.array(connection, { maxLength: 8 }), async (count, script) => {
        const server = await logServer(lines(count), script);
        // A first connection that is refused finally ends the command; another test covers that.
        const { code, out } = await berth(follow, { env: { ...pointedAt(server.url), BERTH_RETRIES: '9' } });
        expect(code).toBe(0);
        expect(numbers(out)).toEqual(expected(count));
      }),
      { numRuns: 40 },
    );
  });

  it('with --tail 0 loses nothing that is written between two connections', async () => {
    const server = await logServer(lines(2), [{ sends: 0, ends: 'reset' }]);
    const { code, out } = await berth([...follow, '--tail', '0'], { env: pointedAt(server.url) });
    expect([code, numbers(out)]).toEqual([0, expected(2)]);
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/v2/pods/p1/logs?tail=0',
      '/v2/pods/p1/logs?since=2026-01-01T00%3A00%3A00.000Z',
      '/v2/pods/p1/logs',
    ]);
  });

  it('says on a terminal that it reconnects, with growing pauses', async () => {
    const server = await logServer(
      lines(1),
      [1, 0, 0].map((sends) => ({ sends, ends: 'reset' as const })),
    );
    const { err, world } = await berth(follow, { env: pointedAt(server.url), tty: { stderr: true } });
    expect(err.match(/going on after the last line/g)).toHaveLength(3);
    const [first = 0, second = 0, third = 0] = world.clock.slept;
    expect([first > 0, second > first, third > second]).toEqual([true, true, true]);
  });

  it('gives up after ten broken connections without a line and names the command that continues', async () => {
    const server = await logServer(lines(9), [
      { sends: 1, ends: 'reset' },
      ...Array<Connection>(30).fill({ sends: 0, ends: 'reset' }),
    ]);
    const { code, out, err } = await berth(follow, { env: pointedAt(server.url) });
    expect(code).toBe(7);
    expect(numbers(out)).toEqual(expected(1));
    expect(err).toMatch(/broke 10 times in a row/);
    expect(err).toContain('Go on with: berth pods logs p1 --follow --after c1');
    expect(server.seen).toHaveLength(10);
  });

  test.each([
    ['refused', 503, 7],
    ['not found', 404, 4],
    ['forbidden', 403, 3],
  ])('ends at once if the first connection is %s', async (_, status, code) => {
    const server = await serve([text('', status)]);
    const ran = await berth(follow, { env: { ...pointedAt(server.url), BERTH_RETRIES: '0' } });
    expectNoKeyNoStack(ran);
    expect(ran.code).toBe(code);
  });

  it('ends 0 if the pod is deleted while it is followed', async () => {
    const gone: Behaviour = text(JSON.stringify({ title: 'Not Found', status: 404, detail: 'pod not found' }), 404);
    const { out } = await works(follow, [text(written(lines(2)), 200, EVENTS), gone]);
    expect(numbers(out)).toEqual(expected(2));
  });

  test.each([
    ['as lines', [], /line 2\n$/],
    ['as one array', ['--json'], /\n\]\n$/],
  ])('ends 130 after Ctrl-C without a message, %s', async (_, flags, end) => {
    const server = await logServer(lines(2), [{ sends: 2, ends: 'hold' }]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    const running = berthIn(world, [...follow, ...flags]);
    await until(() => world.out().includes('line 2'));
    world.signal('SIGINT');
    const ran = await running;
    expect(ran.code).toBe(130);
    expect(ran.out).toMatch(end);
    expect(ran.err).toBe('');
  });

  it('continues after a given cursor', async () => {
    const server = await logServer(lines(5), []);
    const { out } = await berth([...follow, '--after', 'c3'], { env: pointedAt(server.url) });
    expect(numbers(out)).toEqual(['line 4', 'line 5']);
  });
});
