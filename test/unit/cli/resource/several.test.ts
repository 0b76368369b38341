import { describe, expect, test } from 'vitest';
import { EXIT_CODES, worstExit } from '../../../../src/core/exit-codes.ts';
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

const pod = (id: string, status: string): Behaviour => json({ id, name: id, status, locked: false, mounts: {} });
const GONE = () => text('', 204);

/** Routes that answer about `a` and `c`, and refuse `b`. */
const around = (
  path: (id: string) => string,
  answer: (id: string) => Behaviour,
  refusal = problem(409, 'not now'),
): Routes => Object.fromEntries(['a', 'b', 'c'].map((id) => [path(id), id === 'b' ? refusal : answer(id)]));

const rows = (path: string, status = 'RUNNING'): Routes =>
  around(
    (id) => `GET /v2/${path}/${id}`,
    (id) => pod(id, 'RUNNING'),
    pod('b', status),
  );
const deletes = (path: string): Routes => around((id) => `DELETE /v2/${path}/${id}`, GONE);
const tagging = (method: string): Routes => around((id) => `${method} /v2/tags/t/resources/POD/${id}`, GONE);
const actions = (status: string): Routes =>
  around(
    (id) => `POST /v2/pods/${id}/action`,
    (id) => pod(id, status),
  );
const jobs = (request: string, status: string): Routes =>
  around(
    (id) => `${request}/${id}`,
    (id) => json({ id, status, output: id }),
  );
const UNUSED = { 'GET /v2/pods': json({ pods: [] }), 'GET /v2/serverless': json({ endpoints: [] }) };

const SEVERAL: Readonly<Record<string, Routes>> = {
  'pods start': actions('STARTING'),
  'pods stop': actions('EXITED'),
  'pods restart': actions('STARTING'),
  'pods delete': { ...rows('pods'), ...deletes('pods') },
  'pods terminate': { ...rows('pods'), ...deletes('pods') },
  'pods wait': rows('pods', 'ERROR'),
  'endpoints delete': deletes('serverless'),
  'clusters delete': deletes('clusters'),
  'volumes delete': { ...rows('network-volumes'), ...UNUSED, ...deletes('network-volumes') },
  'global-volumes delete': deletes('global-volumes'),
  'tags delete': deletes('tags'),
  'tags add': tagging('PUT'),
  'tags remove': tagging('DELETE'),
  'templates delete': deletes('templates'),
  'registries delete': deletes('registries'),
  'registries delegations revoke': deletes('registries/delegations'),
  'secrets delete': deletes('account/secrets'),
  'jobs cancel': jobs('POST /v2/ep1/cancel', 'CANCELLED'),
  'jobs wait': jobs('GET /v2/ep1/status', 'COMPLETED'),
};

async function run(name: string, routes: Routes, ...flags: readonly string[]): Promise<Ran> {
  const server = await serve([routed(routes)]);
  const first = name.startsWith('jobs ') ? ['ep1'] : /^tags (add|remove)/.test(name) ? ['t'] : [];
  const ids = ['a', 'b', 'c'].map((id) => (first[0] === 't' ? `pod/${id}` : id));
  const sure = [
    ...(/delete|terminate|cancel|revoke/.test(name) ? ['--yes'] : []),
    ...(name === 'secrets delete' ? ['--force'] : []),
  ];
  const argv = [...name.split(' '), ...first, ...ids, ...sure, ...flags];
  return await berthIn(createTestWorld({ env: pointedAt(server.url) }), argv);
}

describe('several ids, of which the second fails', () => {
  test.each(Object.entries(SEVERAL))('%s: an outcome for each in JSON', async (name, routes) => {
    const ran = await run(name, routes, '--json');
    expect(ran.code, ran.err).toBe(name === 'pods wait' ? 10 : 5);
    // The documents of jobs are what the wait is for.
    const went = (id: string) => (name === 'jobs wait' ? { id, status: 'COMPLETED', output: id } : { id, ok: true });
    const error = expect.objectContaining({ code: expect.any(String) as string }) as object;
    expect(JSON.parse(ran.out)).toMatchObject([went('a'), { id: 'b', ok: false, error }, went('c')]);
    expect(JSON.parse(ran.err)).toMatchObject({ error: { message: '1 of 3 did not go through' } });
  });

  test.each([
    ['pods restart', 'restarted'],
    ['volumes delete', 'deleted'],
    ['jobs cancel', 'cancelled'],
  ])('%s: an outcome for each in a table, the ids that went well with -o id', async (name, done) => {
    const routes = SEVERAL[name] ?? {};
    const { out, err } = await run(name, routes);
    const cells = out.split('\n').map((line) => line.split('\t').slice(0, 2).join(' '));
    expect(cells).toEqual(['ID RESULT', `a ${done}`, 'b failed', `c ${done}`, '']);
    expect(err).toMatch(/^error: 1 of 3 did not go through\n {2}- b: /m);
    expect((await run(name, routes, '-o', 'id')).out).toBe('a\nc\n');
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
    const found = (
      await Promise.all(Array.from(NOUNS.values(), async (noun) => walk(noun.name, await noun.load(program))))
    ).flat();
    // The keys of an account are one set, which one request replaces; exec needs ssh. What reads has a test of its own.
    const isOther = (path: string): boolean =>
      ['account ssh-keys remove', 'jobs status', 'pods exec', 'pods logs'].includes(path) || path.endsWith(' get');
    expect(found.filter((path) => !isOther(path)).sort()).toEqual(Object.keys(SEVERAL).sort());
  });
});

test('an interrupt between two of several ends 130 and says what was done and what was not sent', async () => {
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
  const ran = await berthIn(world, ['templates', 'delete', 'a', 'b', 'c', '--yes', '--json']);
  expect(ran.code, ran.err).toBe(130);
  expect(JSON.parse(ran.out)).toMatchObject([
    { id: 'a', ok: true },
    { id: 'b' },
    { id: 'c', ok: false, error: { code: 'not-sent' } },
  ]);
});

test('a wait for several pods that ends first ends 9 and says which got there', async () => {
  const ran = await run('pods wait', rows('pods', 'STARTING'), '--wait-timeout', '1s', '--json');
  expect([ran.code, JSON.parse(ran.out)]).toMatchObject([
    9,
    [
      { id: 'a', ok: true },
      { id: 'b', ok: false, error: { code: 'wait-ended' } },
      { id: 'c', ok: true },
    ],
  ]);
  expect(ran.err).toContain('berth pods wait b --for reachable');
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
