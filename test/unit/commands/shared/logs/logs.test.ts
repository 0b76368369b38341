import { describe, expect, it } from 'vitest';
import { createDeadlineClock } from '../../../../support/clocks/deadline-clock.ts';
import { pointedAt, text } from '../../../../support/servers/scripted-server.ts';
import { works } from '../../../../support/worlds/expect-run.ts';
import { berth, berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';
import { EVENTS, expected, lines, logServer, numbers, until } from '../../../../support/servers/log-server.ts';

describe('pods logs', () => {
  it('ends when the tail is complete, although the stream is still open', async () => {
    const server = await logServer(lines(3), [{ sends: 3, ends: 'hold' }]);
    const { code, out } = await berth(['pods', 'logs', 'p1', '--tail', '3'], { env: pointedAt(server.url) });
    expect([code, numbers(out)]).toEqual([0, expected(3)]);
    expect(server.seen).toMatchObject([{ url: '/v2/pods/p1/logs?tail=3' }]);
  });

  it('ends when no more lines arrive', async () => {
    const clock = createDeadlineClock();
    const server = await logServer(lines(3), [{ sends: 3, ends: 'hold' }]);
    const world = createTestWorld({ clock, env: pointedAt(server.url) });
    const running = berthIn(world, ['pods', 'logs', 'p1']);
    await until(() => world.out().includes('line 3'));
    clock.expire();
    expect(await running).toMatchObject({ code: 0, err: '' });
  });

  it.each([
    [['--since', '10m'], '?since=2025-12-31T23%3A50%3A00Z'],
    [['--since', '2026-01-01T12:00:00+02:00'], '?since=2026-01-01T12%3A00%3A00%2B02%3A00'],
    [['--since', '2026-01-01', '--source', 'system'], '?source=system&since=2026-01-01T00%3A00%3A00Z'],
    [['--since', '2026-01-01T00:00:00.123456789Z'], '?since=2026-01-01T00%3A00%3A00.123456789Z'],
  ])('sends the query for %j', async (flags, query) => {
    const server = await logServer([], []);
    await berth(['pods', 'logs', 'p1', ...flags], { env: pointedAt(server.url) });
    expect(server.seen).toMatchObject([{ url: `/v2/pods/p1/logs${query}` }]);
  });

  it.each([
    [['--tail', '5001'], /--tail is at most 5000/],
    [['--since', 'yesterday'], /--since is not a time/],
    [['--since', '2026-13-45'], /--since is not a time/],
    [['--since', '2026-01-01T10:00:00'], /--since is not a time/],
    [['--since', '90'], /--since is not a time/],
    [['--tail', '5', '--since', '1h'], /use either --tail or --since/],
    [['--source', 'kernel'], /--source is one of container, system/],
  ])('refuses %j', async (flags, says) => {
    const { code, err } = await berth(['--local', 'pods', 'logs', 'pod-train', ...flags]);
    expect(code).toBe(2);
    expect(err).toMatch(says);
  });

  it('with --json prints JSON lines unchanged and other lines as text', async () => {
    const odd = `id: 1\ndata: {"ts":"t","source":"s","line":"a\\u001b[2J","n":9007199254740993}\n\ndata: plain\n\ndata: [1]\n\n`;
    const { out } = await works(['pods', 'logs', 'p1', '-o', 'jsonl'], [text(odd, 200, EVENTS)]);
    expect(out).toBe(
      '{"ts":"t","source":"s","line":"a\\u001b[2J","n":9007199254740993}\n{"line":"plain"}\n{"line":"[1]"}\n',
    );
  });

  it.each([
    ['on a terminal prints times of this machine, with the date for another day', { tty: true }, ['clock']],
    ['elsewhere prints times as the service sent them', {}, ['utc']],
  ] as const)('%s', async (_, options, [times]) => {
    const sent = ['2025-12-30T12:10:08Z', '2026-01-01T00:00:07.5Z', 'no time'];
    const events = sent.map((ts) => `data: ${JSON.stringify({ ts, source: 'container', line: 'x' })}\n\n`).join('');
    const outputs = [];
    for (const flags of [[], ['--times', times]])
      outputs.push((await works(['pods', 'logs', 'p1', ...flags], [text(events, 200, EVENTS)], options)).out);
    const local = sent.slice(0, 2).map((ts) => new Date(ts).toLocaleTimeString('en-GB'));
    const shown = times === 'utc' ? sent : [`2025-12-30 ${local[0] ?? ''}`, local[1], 'no time'];
    const printed = shown.map((time) => `${time ?? ''} container x\n`).join('');
    expect(outputs).toEqual([printed, printed]);
  });

  it('escapes control characters in text output', async () => {
    const evil = JSON.stringify({ ts: 'a\u001b]0;x\u0007', source: '\u202e', line: 'b\r\n\u001b[2Jc\r\n' });
    const { out } = await works(['pods', 'logs', 'p1'], [text(`data: ${evil}\n\n`, 200, EVENTS)], { tty: true });
    expect(out).toBe('a\\x1b]0;x\\x07 \\u202e    b\\r\\n\\x1b[2Jc\n');
  });

  it('accepts a name and looks it up', async () => {
    const ran = await berth(['--local', 'pods', 'logs', 'train-llm', '--tail', '2']);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out.trim().split('\n')).toHaveLength(2);
  });
});
