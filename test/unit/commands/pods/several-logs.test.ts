import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { EVENTS } from '../../../support/servers/log-server.ts';
import {
  json,
  pointedAt,
  problem,
  routed,
  serve,
  text,
  type Behaviour,
} from '../../../support/servers/scripted-server.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const line = (minute: number, words: string): string => {
  const ts = `2025-12-31T23:${String(minute).padStart(2, '0')}:00Z`;
  return `id: c${String(minute)}\ndata: ${JSON.stringify({ ts, source: 'container', line: words })}\n\n`;
};

const log = (...lines: readonly string[]): Behaviour => text(lines.join(''), 200, EVENTS);

/** Three pods of two teams, with a log each; one name would control the terminal. */
const ROUTES: Readonly<Record<string, Behaviour>> = {
  'GET /v2/pods': json({
    pods: [
      { id: 'a', name: 'train-1' },
      { id: 'b', name: 'train-2' },
      { id: 'c', name: 'evil-\u001b[31m' },
    ],
  }),
  'GET /v2/pods/a/logs': log(line(10, 'a first'), line(30, 'a second')),
  'GET /v2/pods/b/logs': log(line(20, 'b first'), line(40, 'b second')),
  'GET /v2/pods/c/logs': log(line(5, 'c\u001b[2J')),
  'GET /v2/pods/a': json({ id: 'a', status: 'EXITED' }),
  'GET /v2/pods/b': json({ id: 'b', status: 'EXITED' }),
};

async function ran(argv: readonly string[]) {
  const server = await serve([routed(ROUTES)]);
  return await berth(['pods', 'logs', ...argv], { env: pointedAt(server.url) });
}

describe('pods logs of several pods', () => {
  test('prints past lines by their time, each with the name of its pod', async () => {
    const { code, out, err } = await ran(['train-1', 'b']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(
      [
        'train-1 2025-12-31T23:10:00Z container a first',
        'b       2025-12-31T23:20:00Z container b first',
        'train-1 2025-12-31T23:30:00Z container a second',
        'b       2025-12-31T23:40:00Z container b second',
        '',
      ].join('\n'),
    );
  });

  test('--match takes the pods whose name matches, with safe names', async () => {
    const { out } = await ran(['--match', '{train,evil}-*', '--times', 'none']);
    const words = out.trimEnd().split('\n');
    expect(words.map((each) => each.split(/\s+/)[0])).toEqual([
      ...['evil-\\x1b[31m', 'train-1', 'train-2', 'train-1', 'train-2'],
    ]);
    expect(words[0]).toBe('evil-\\x1b[31m container c\\x1b[2J');
  });

  test('--follow ends when all logs have ended, and shows each line once', async () => {
    const { code, out } = await ran(['a', 'b', '--follow']);
    expect(code).toBe(0);
    expect(out.match(/(a|b) (first|second)/g)?.sort()).toEqual(['a first', 'a second', 'b first', 'b second']);
  });

  test.each([
    [['--times', 'relative'], /^ *\d+m(?: \d+s)? container a first$/m],
    [['--times', 'none'], /^container a first$/m],
    [['--times', 'utc'], /^2025-12-31T23:10:00Z container a first$/m],
  ])('of one pod, %j', async (flags, shown) => {
    expect((await ran(['a', ...flags])).out).toMatch(shown);
  });

  test.each([
    [[], 2, /missing POD/],
    [['a', '--match', 'b'], 2, /use either POD or --match/],
    [['a', 'b', '--after', 'c1'], 2, /--after needs a single log/],
    [['--match', ''], 2, /--match is empty/],
    [['--match', 'nothing-*'], 4, /no pod matches/],
    [['a', 'nowhere'], 4, /no pod "nowhere"/],
  ] as const)('refuses %j', async (argv, exit, says) => {
    const { code, err } = await ran(argv);
    expect(code, err).toBe(exit);
    expect(err).toMatch(says);
  });

  test('a closed output ends all of them, also those that are quiet', async () => {
    const quiet: Behaviour = ({ response }) => void response.writeHead(200, EVENTS).write(': quiet\n\n');
    const server = await serve([routed({ ...ROUTES, 'GET /v2/pods/b/logs': quiet })]);
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => {
        done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' }));
      },
    });
    const world = { ...createTestWorld({ env: pointedAt(server.url) }), stdout };
    const { code, err } = await berthIn(world, ['pods', 'logs', 'a', 'b', '--follow']);
    expect([code, err]).toEqual([0, '']);
  });

  test('a log that breaks is named, and the others go on', async () => {
    const cut: Behaviour = ({ response, socket }) => {
      response.writeHead(200, EVENTS).write(line(15, 'b only'));
      setImmediate(() => {
        socket.destroy();
      });
    };
    const server = await serve([routed({ ...ROUTES, 'GET /v2/pods/b/logs': cut }, problem(404, 'resource not found'))]);
    const { code, out, err } = await berth(['pods', 'logs', 'a', 'b', '--times', 'none'], {
      env: { ...pointedAt(server.url), BERTH_RETRIES: '0' },
    });
    expect(code).toBe(7);
    expect(out).toContain('a second');
    expect(out).toContain('b only');
    expect(err).toMatch(/^b: /m);
  });
});
