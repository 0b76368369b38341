import { describe, expect, it, test } from 'vitest';
import { EXIT_CODES, worstExit, type ExitCode } from '../../../../src/core/exit-codes.ts';
import type { Command, Group, Program } from '../../../../src/cli/model/command.ts';
import { FLAGS, NOUNS } from '../../../../src/registry.ts';
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

type Routes = Readonly<Record<string, Behaviour>>;

interface Several {
  readonly argv: readonly string[];
  /** What the service answers about `a` and `c`; it refuses `b`. */
  readonly routes: Routes;
  /** The word of the table for what went well. */
  readonly done: string;
  readonly code: ExitCode;
}

const pod = (id: string, status: string): Behaviour => json({ id, name: id, status, locked: false, mounts: {} });
const REFUSED = problem(409, 'not now');

/** A delete that reads nothing first. */
const deleting = (noun: string, path = noun, ...flags: readonly string[]): Several => ({
  argv: [noun, 'delete', 'a', 'b', 'c', '--yes', ...flags],
  routes: deletes(path),
  done: 'deleted',
  code: 5,
});

/** Routes that answer about `a` and `c`, and refuse `b`. */
const around = (path: (id: string) => string, answer: (id: string) => Behaviour, refusal = REFUSED): Routes =>
  Object.fromEntries(['a', 'b', 'c'].map((id) => [path(id), id === 'b' ? refusal : answer(id)]));

const rowsOf = (path: string): Routes =>
  around(
    (id) => `GET /v2/${path}/${id}`,
    (id) => pod(id, 'RUNNING'),
    pod('b', 'RUNNING'),
  );
const deletes = (path: string): Routes =>
  around(
    (id) => `DELETE /v2/${path}/${id}`,
    () => text('', 204),
  );
const actions = (status: string): Routes =>
  around(
    (id) => `POST /v2/pods/${id}/action`,
    (id) => pod(id, status),
  );
const EMPTY = { 'GET /v2/pods': json({ pods: [] }), 'GET /v2/serverless': json({ endpoints: [] }) };

const SEVERAL: Readonly<Record<string, Several>> = {
  'pods start': { argv: ['pods', 'start', 'a', 'b', 'c'], routes: actions('STARTING'), done: 'started', code: 5 },
  'pods stop': { argv: ['pods', 'stop', 'a', 'b', 'c'], routes: actions('EXITED'), done: 'stopped', code: 5 },
  'pods restart': { argv: ['pods', 'restart', 'a', 'b', 'c'], routes: actions('STARTING'), done: 'restarted', code: 5 },
  'pods restart --wait': {
    argv: ['pods', 'restart', 'a', 'b', 'c', '--wait'],
    routes: { ...actions('STARTING'), ...rowsOf('pods') },
    done: 'reachable',
    code: 5,
  },
  'pods delete': {
    argv: ['pods', 'delete', 'a', 'b', 'c', '--yes'],
    routes: { ...rowsOf('pods'), ...deletes('pods') },
    done: 'terminated',
    code: 5,
  },
  'pods terminate': {
    argv: ['pods', 'terminate', 'a', 'b', 'c', '--yes'],
    routes: { ...rowsOf('pods'), ...deletes('pods') },
    done: 'terminated',
    code: 5,
  },
  'pods wait': {
    argv: ['pods', 'wait', 'a', 'b', 'c'],
    routes: around(
      (id) => `GET /v2/pods/${id}`,
      (id) => pod(id, 'RUNNING'),
      pod('b', 'ERROR'),
    ),
    done: 'reachable',
    code: 10,
  },
  'endpoints delete': deleting('endpoints', 'serverless'),
  'clusters delete': deleting('clusters'),
  'volumes delete': {
    argv: ['volumes', 'delete', 'a', 'b', 'c', '--yes'],
    routes: { ...rowsOf('network-volumes'), ...EMPTY, ...deletes('network-volumes') },
    done: 'deleted',
    code: 5,
  },
  'global-volumes delete': deleting('global-volumes'),
  'tags delete': deleting('tags'),
  ...Object.fromEntries(
    [
      ['tags add', 'PUT', 'tagged'],
      ['tags remove', 'DELETE', 'untagged'],
    ].map(([words = '', method = '', done = '']) => [
      words,
      {
        argv: [...words.split(' '), 't', 'pod/a', 'pod/b', 'pod/c'],
        routes: around(
          (id) => `${method} /v2/tags/t/resources/POD/${id}`,
          () => text('', 204),
        ),
        done,
        code: 5,
      },
    ]),
  ),
  'templates delete': deleting('templates'),
  'registries delete': deleting('registries'),
  'registries delegations revoke': {
    ...deleting('registries/delegations'),
    argv: ['registries', 'delegations', 'revoke', 'a', 'b', 'c', '--yes'],
    done: 'revoked',
  },
  'secrets delete': deleting('secrets', 'account/secrets', '--force'),
  'jobs cancel': {
    argv: ['jobs', 'cancel', 'ep1', 'a', 'b', 'c', '--yes'],
    routes: around(
      (id) => `POST /v2/ep1/cancel/${id}`,
      (id) => json({ id, status: 'CANCELLED' }),
    ),
    done: 'cancelled',
    code: 5,
  },
  'jobs wait': {
    argv: ['jobs', 'wait', 'ep1', 'a', 'b', 'c'],
    routes: around(
      (id) => `GET /v2/ep1/status/${id}`,
      (id) => json({ id, status: 'COMPLETED', output: id }),
    ),
    done: 'COMPLETED',
    code: 5,
  },
};

const SOME = Object.entries(SEVERAL).filter(([name]) =>
  ['pods restart', 'volumes delete', 'jobs cancel'].includes(name),
);

async function run({ argv, routes }: Several, ...flags: readonly string[]): Promise<Ran> {
  const server = await serve([routed(routes)]);
  return await berthIn(createTestWorld({ env: pointedAt(server.url) }), [...argv, ...flags]);
}

describe('several ids, of which the second fails', () => {
  test.each(Object.entries(SEVERAL))('%s: an outcome for each in JSON', async (name, several) => {
    const ran = await run(several, '--json');
    expect(ran.code, ran.err).toBe(several.code);
    const rows = JSON.parse(ran.out) as readonly Readonly<Record<string, unknown>>[];
    const error = expect.objectContaining({
      code: expect.any(String) as string,
      message: expect.any(String) as string,
    }) as object;
    // The documents of jobs are what the wait is for.
    const went = (id: string) => (name === 'jobs wait' ? { id, status: 'COMPLETED', output: id } : { id, ok: true });
    expect(rows).toMatchObject([went('a'), { id: 'b', ok: false, error }, went('c')]);
    expect(JSON.parse(ran.err)).toMatchObject({ error: { message: '1 of 3 did not go through' } });
  });

  test.each(SOME)('%s: an outcome for each in a table', async (_, several) => {
    const ran = await run(several);
    expect(ran.code, ran.err).toBe(several.code);
    const rows = ran.out
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t'));
    expect(rows.map(([id]) => id)).toEqual(['a', 'b', 'c']);
    expect([rows[0]?.[1], rows[2]?.[1]]).toEqual([several.done, several.done]);
    expect(rows[1]?.join(' ')).toMatch(/not now|ERROR/);
    expect(ran.err).toMatch(/^error: 1 of 3 did not go through\n {2}- b: /m);
  });

  test.each(SOME)('%s: the ids that went well with -o id', async (_, several) => {
    const ran = await run(several, '-o', 'id');
    expect([ran.code, ran.out]).toEqual([several.code, 'a\nc\n']);
  });

  test('every verb that takes several ids is in this table', async () => {
    const program: Program = { nouns: NOUNS, flags: FLAGS };
    const walk = (path: string, target: Command | Group): readonly string[] =>
      target.kind === 'group'
        ? Object.entries(target.commands).flatMap(([word, inner]) => walk(`${path} ${word}`, inner))
        : Object.values(target.args).some(
              ({ distinct, many, complete }) => distinct === true || (many && complete === 'job'),
            )
          ? [path]
          : [];
    const found = (await Promise.all(NOUNS.map(async (noun) => walk(noun.name, await noun.load(program))))).flat();
    // The keys of an account are one set, which one request replaces; exec needs ssh. What reads has a test of its own.
    const isOther = (path: string): boolean =>
      ['account ssh-keys remove', 'jobs status', 'pods exec'].includes(path) || path.endsWith(' get');
    expect(found.filter((path) => !isOther(path)).sort()).toEqual(
      Object.keys(SEVERAL)
        .filter((name) => !name.includes('--'))
        .sort(),
    );
  });
});

describe('an interrupt between two of several', () => {
  const interruptedAt = async (...flags: readonly string[]): Promise<Ran> => {
    const world = createTestWorld();
    const server = await serve([
      routed({
        'DELETE /v2/templates/a': text('', 204),
        'DELETE /v2/templates/b': ({ response }) => {
          world.signal('SIGINT');
          response.writeHead(204).end();
        },
      }),
    ]);
    Object.assign(world.env, pointedAt(server.url));
    return await berthIn(world, ['templates', 'delete', 'a', 'b', 'c', '--yes', ...flags]);
  };

  it('ends 130 and says what was done and what was not sent', async () => {
    const ran = await interruptedAt('--json');
    expect(ran.code, ran.err).toBe(130);
    const rows = JSON.parse(ran.out) as readonly { id: string; ok: boolean; error?: { code: string } }[];
    expect([rows[0], rows[1]?.id, rows[2]]).toMatchObject([
      { id: 'a', ok: true },
      'b',
      { id: 'c', ok: false, error: { code: 'not-sent' } },
    ]);
    expect((await interruptedAt()).out).toMatch(/^c\tnot sent\tnot sent: interrupted$/m);
  });
});

describe('a wait for several pods that ends first', () => {
  it('ends 9 and says which got there', async () => {
    const routes = around(
      (id) => `GET /v2/pods/${id}`,
      (id) => pod(id, 'RUNNING'),
      pod('b', 'STARTING'),
    );
    const ran = await run(
      { argv: ['pods', 'wait', 'a', 'b', 'c', '--wait-timeout', '1s'], routes, done: '', code: 9 },
      '--json',
    );
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([
      9,
      [
        { id: 'a', ok: true },
        { id: 'b', ok: false, error: { code: 'wait-ended' } },
        { id: 'c', ok: true },
      ],
    ]);
    expect(JSON.parse(ran.err)).toMatchObject({
      error: { hint: expect.stringContaining('berth pods wait b --for reachable') as string },
    });
  });
});

test('the worst exit code is what a person must look at first', () => {
  expect(worstExit([])).toBe(0);
  expect(worstExit([0, 4, 5])).toBe(5);
  expect(worstExit([5, 8, 4])).toBe(8);
  expect(worstExit([9, 10, 0])).toBe(10);
  expect(worstExit([8, 130])).toBe(130);
  for (const { code } of EXIT_CODES) {
    expect(worstExit([0, code])).toBe(code);
    expect(worstExit([code, 143])).toBe(143);
  }
});
