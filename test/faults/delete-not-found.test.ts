import { describe, expect, test } from 'vitest';
import { berthIn, type Ran } from '../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../support/worlds/test-world.ts';
import { fails } from '../support/worlds/expect-run.ts';
import { problem } from '../support/servers/scripted-server.ts';

// Row 12 of docs/faults.md: a DELETE that was answered 429 and then 404 has deleted nothing.

interface Destructive {
  /** Creates the resource with the name `victim`. */
  readonly create: string;
  readonly list: string;
  /** The command without the name or id. */
  readonly remove: string;
  /** The path of the DELETE without the id. */
  readonly path: string;
}

/** One of the kit, and those that are not of it. */
const VERBS: Readonly<Record<string, Destructive>> = {
  'pods terminate': {
    create: 'pods create --name victim --cpu cpu-general --vcpu 2 --image x',
    list: 'pods list',
    remove: 'pods terminate',
    path: '/v2/pods',
  },
  'registries delegations revoke': {
    create: 'registries delegations create --resource arn:aws:ecr:eu-west-1:123456789012:repository/x --name victim',
    list: 'registries delegations list',
    remove: 'registries delegations revoke',
    path: '/v2/registries/delegations',
  },
};

const local = (): TestWorld => createTestWorld({ env: { BERTH_LOCAL: '1' }, stdin: 'secret\n' });
const run = (world: TestWorld, line: string, ...more: readonly string[]): Promise<Ran> =>
  berthIn(world, [...line.split(' '), ...more]);
const idsIn = async (world: TestWorld, { list }: Destructive): Promise<readonly string[]> =>
  (await run(world, list, '-o', 'id')).out.trimEnd().split('\n');

/** A local service with the resource. The next DELETE is answered 429 once. */
async function withVictim(verb: Destructive): Promise<{ world: TestWorld; id: string }> {
  const world = local();
  const before = await idsIn(world, verb);
  const created = await run(world, verb.create);
  expect(created.code, created.err).toBe(0);
  const id = (await idsIn(world, verb)).find((each) => !before.includes(each)) ?? '';
  expect(id).not.toBe('');
  const fault = ['local', 'fault', 'add', 'rate-limit', '--count', '1', '--match', `DELETE ${verb.path}`];
  expect((await berthIn(world, fault)).code).toBe(0);
  return { world, id };
}

describe.each(Object.entries(VERBS))('%s, put off once by the rate limit', (_, verb) => {
  test('with a name: the resource of that name is deleted', async () => {
    const { world, id } = await withVictim(verb);
    const ran = await run(world, verb.remove, 'victim', '--yes');
    expect(ran.code, ran.err).toBe(0);
    expect(await idsIn(world, verb)).not.toContain(id);
  });

  test('with a wrong id: 4, and nothing is deleted', async () => {
    const { world, id } = await withVictim(verb);
    const before = await idsIn(world, verb);
    const ran = await run(world, verb.remove, `${id}x`, '--yes');
    expect([ran.code, ran.out]).toEqual([4, '']);
    expect(ran.err).toMatch(/^error: (no |.*404)/);
    expect(await idsIn(world, verb)).toEqual(before);
  });
});

test('of several names, each is deleted by its own id', async () => {
  const world = local();
  const before = await run(world, 'volumes list', '-o', 'id');
  for (const name of ['v1', 'v2'])
    expect((await run(world, `volumes create --name ${name} --size 10 --data-center EU-NORTH-1`)).code).toBe(0);
  const fault = 'local fault add rate-limit --count 2 --match';
  expect((await run(world, fault, 'DELETE /v2/network-volumes')).code).toBe(0);
  const ran = await run(world, 'volumes delete v1 v2 --yes');
  expect(ran.code, ran.err).toBe(0);
  expect((await run(world, 'volumes list', '-o', 'id')).out).toBe(before.out);
});

test('a pod that costs money is terminated by its name', async () => {
  const world = local();
  expect((await run(world, 'local fault add rate-limit --count 1 --match', 'DELETE /v2/pods')).code).toBe(0);
  const ran = await run(world, 'pods terminate train-llm --yes');
  expect([ran.code, ran.err]).toEqual([0, 'terminated pod train-llm\n']);
  expect((await run(world, 'pods list', '-o', 'id')).out).not.toContain('pod-train\n');
});

describe('a DELETE that is answered 429 and then 404', () => {
  const putOff = [problem(429, 'rate limit exceeded'), problem(404, 'resource not found')];

  test('berth api: 4', async () => {
    const argv = ['api', 'DELETE', '/v2/registries/delegations/d1', '--yes'];
    const { servers } = await fails(argv, { exit: 4, says: ['404', 'resource not found', /tried 2 times/] }, putOff);
    expect(servers[0].seen.map(({ method }) => method)).toEqual(['DELETE', 'DELETE']);
  });

  test('a name that cannot be looked up: 3 with the reason', async () => {
    await fails(
      ['registries', 'delegations', 'revoke', 'd1', '--yes'],
      { exit: 3, says: ['could not look up', 'not allowed to list'] },
      [...putOff, problem(403, 'not allowed to list')],
    );
  });
});
