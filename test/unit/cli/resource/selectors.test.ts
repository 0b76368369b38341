import { describe, expect, it, test } from 'vitest';
import { answerQuestion } from '../../../support/worlds/answer-question.ts';
import { berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import {
  json,
  pointedAt,
  problem,
  routed,
  serve,
  text,
  type Behaviour,
} from '../../../support/servers/scripted-server.ts';

const NOW = 'Tue, 01 Sep 2026 12:00:00 GMT';
const POD = { actions: ['stop', 'restart', 'terminate'], status: 'RUNNING', locked: false, mounts: {} };
const PODS = [
  { ...POD, id: 'p1', name: 'train-a', cost: 2.5, createdAt: '2026-08-01T12:00:00Z' },
  { ...POD, id: 'p2', name: 'train-b', cost: 0.5, createdAt: '2026-09-01T11:00:00Z' },
  { ...POD, id: 'p3', name: 'train-c', cost: 1, createdAt: '2026-08-20T12:00:00Z', locked: true },
  {
    ...POD,
    id: 'p4',
    name: 'train-d',
    cost: 0,
    status: 'EXITED',
    actions: ['start', 'terminate'],
    createdAt: '2026-08-20T12:00:00Z',
  },
  { ...POD, id: 'p5', name: 'web', cost: 4, createdAt: '2026-08-20T12:00:00Z' },
];

const stampedPods: Behaviour = json({ pods: PODS }, 200, { date: NOW });

/** The pod after a stop, a start or a restart. */
const actedOn =
  (id: string): Behaviour =>
  (exchange) => {
    json({ ...POD, id, status: exchange.arrival.body.includes('stop') ? 'EXITED' : 'STARTING' })(exchange);
  };

const podServer = () =>
  serve([
    routed({
      'GET /v2/pods': stampedPods,
      ...Object.fromEntries(
        PODS.flatMap(({ id }) => [
          [`POST /v2/pods/${id}/action`, actedOn(id)],
          [`DELETE /v2/pods/${id}`, text('', 204)],
          [`GET /v2/pods/${id}`, json(PODS.find((pod) => pod.id === id) ?? {})],
        ]),
      ),
    }),
  ]);

interface SelectedRun {
  readonly ran: Ran;
  /** The writes, such as `POST p1`. */
  readonly writes: readonly string[];
}

async function select(...argv: readonly string[]): Promise<SelectedRun> {
  const server = await podServer();
  const ran = await berthIn(createTestWorld({ env: pointedAt(server.url) }), ['pods', ...argv]);
  const writes = server.seen
    .filter(({ method }) => method !== 'GET')
    .map(({ method, url }) => `${method} ${url.split('/')[3] ?? ''}`);
  return { ran, writes };
}

describe('selectors of a command that acts on many', () => {
  test.each([
    [
      ['stop', '--match', 'train-*'],
      ['p1', 'p2'],
    ],
    [['stop', '--match', '!train-*'], ['p5']],
    [['stop', '--match', 'train-*', '--older-than', '2d'], ['p1']],
    [['stop', '--status', 'running', '--match', 'w*'], ['p5']],
    [
      ['stop', '--all'],
      ['p1', 'p2', 'p5'],
    ],
    [['start', '--all'], ['p4']],
  ])('%j acts on %j', async (argv, ids) => {
    const { ran, writes } = await select(...argv, '--yes', '--json');
    expect(writes).toEqual(ids.map((id) => `POST ${id}`));
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([0, ids.map((id) => ({ id, ok: true }))]);
  });

  it('says which pods are left out, and why', async () => {
    const { ran } = await select('stop', '--match', 'train-*', '--yes');
    expect(ran.err).toBe('skipped train-c (p3): locked\n');
    expect(ran.out).toBe('ID\tRESULT\tERROR\np1\tstopped\t-\np2\tstopped\t-\n');
  });

  it('leaves locked pods out of terminate, and takes them with --force', async () => {
    expect((await select('terminate', '--match', 'train-[bc]', '--yes')).writes).toEqual(['DELETE p2']);
    const forced = await select('terminate', '--match', 'train-[bc]', '--yes', '--force');
    expect(forced.writes).toEqual(['DELETE p2', 'DELETE p3']);
  });

  it('compares ages with the time of the service', async () => {
    // The clock of this machine is years away from the one of the service.
    expect((await select('stop', '--older-than', '364d', '--yes')).writes).toEqual([]);
    expect((await select('stop', '--match', 'train-b', '--older-than', '59m', '--yes')).writes).toEqual(['POST p2']);
    expect((await select('stop', '--match', 'train-b', '--older-than', '61m', '--yes')).writes).toEqual([]);
  });

  it('that pick nothing end 0 and say so', async () => {
    const { ran, writes } = await select('stop', '--match', 'nothing-*', '--yes', '--json');
    expect([ran.code, ran.out, ran.err, writes]).toEqual([0, '[]\n', 'no matching pod: nothing stopped\n', []]);
  });

  test.each([
    [['stop', 'p1', '--all'], 'use either POD or --all'],
    [['stop', '--all', '--match', 'a', '--yes'], 'use either --all or another selector'],
    [['stop', '--match', '', '--yes'], '--match is empty'],
    [['stop', '--older-than', '3', '--yes'], '--older-than needs a unit: 3\n  -> Write 3s, 3m, 3h or 3d.\n'],
    [['stop', '--status', 'ASLEEP', '--yes'], '--status is one of'],
    [['stop', '--all'], 'this needs confirmation'],
    [['stop'], 'missing POD'],
  ])('%j is refused before anything is sent', async (argv, message) => {
    const server = await serve([problem(500, 'not to be called')]);
    const ran = await berthIn(createTestWorld({ env: pointedAt(server.url) }), ['pods', ...argv]);
    expect([ran.code, server.seen]).toEqual([2, []]);
    expect(ran.err).toContain(message);
  });

  it('lists the requests in a dry run, and sends only the read of the list', async () => {
    const { ran, writes } = await select('terminate', '--match', 'train-*', '--dry-run');
    const requests = JSON.parse(ran.out) as readonly { method: string; url: string }[];
    expect([ran.code, writes]).toEqual([0, []]);
    expect(requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
      'DELETE /v2/pods/p1',
      'DELETE /v2/pods/p2',
      'DELETE /v2/pods/p4',
    ]);
    expect(ran.err).not.toContain('is a name');
  });

  it('shows the list and what it saves on stderr, and asks', async () => {
    const server = await podServer();
    const world = createTestWorld({ env: pointedAt(server.url), tty: true, columns: 120 });
    const ran = await answerQuestion(world, ['pods', 'stop', '--match', 'train-*'], 'Continue?', 'n');
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toMatch(/^p1 +train-a +.*RUNNING.*\$2\.50/m);
    expect(ran.err).toContain('2 pods will be stopped: $3.00/h.');
    expect(ran.err).toContain('not confirmed: nothing was changed');
    expect(server.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

test('a missing id is picked from a list that is filtered by what is typed', async () => {
  const server = await podServer();
  const world = createTestWorld({ env: pointedAt(server.url), tty: true, columns: 120 });
  const ran = await answerQuestion(world, ['pods', 'stop', '-o', 'id'], 'p5  web  RUNNING  $4.00/h', 'web');
  expect([ran.code, ran.out]).toEqual([0, 'p5\n']);
});

describe('lists', () => {
  const listed = async (...argv: readonly string[]): Promise<readonly string[]> => {
    const { ran } = await select('list', ...argv, '-o', 'id');
    expect(ran.code, ran.err).toBe(0);
    return ran.out.trim().split('\n');
  };

  test.each([
    [['--sort', 'cost'], 'p4 p2 p3 p1 p5'],
    [['--sort', 'status,-cost'], 'p4 p5 p1 p3 p2'],
    [['--sort', 'age'], 'p2 p3 p4 p5 p1'],
    [['--sort', '-createdAt'], 'p2 p3 p4 p5 p1'],
    [['--match', 'train-*', '--status', 'RUNNING'], 'p1 p2 p3'],
    [['--newer-than', '2h'], 'p2'],
    [['--older-than', '2d', '--match', 't*'], 'p1 p3 p4'],
  ])('%j', async (argv, ids) => {
    expect((await listed(...argv)).join(' ')).toBe(ids);
  });

  it('say the total after the table of a terminal, and nowhere else', async () => {
    const server = await podServer();
    const run = async (tty: boolean, ...argv: readonly string[]) =>
      await berthIn(createTestWorld({ env: pointedAt(server.url), tty, columns: 120 }), ['pods', 'list', ...argv]);
    expect((await run(true)).err).toBe('5 pods, $8.00/h\n');
    expect((await run(true, '--match', 'web')).err).toBe('1 pod, $4.00/h\n');
    for (const ran of [await run(false), await run(true, '--json'), await run(true, '-o', 'id')])
      expect(ran.err).toBe('');
  });
});
