import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { remoteService, type RemoteService } from '../../../support/servers/remote-service.ts';
import { inWorld, rows, run } from '../../../support/worlds/plan-runs.ts';
import { berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';

const POD = (name: string): string => `kind: pod\nname: ${name}\nimage: a/b:1\ngpu: {id: GPU-24G}\nenv: {MODE: fast}`;
const TEMPLATE = 'kind: template\nname: base\nimage: a/b:1\nserverless: true';
const ENDPOINT = 'kind: endpoint\nname: api\ntemplate: base\ngpu: {pools: [POOL-24G]}';
const VOLUME = 'kind: volume\nname: data\nsize: 10\ndataCenter: EU-NORTH-1';
const FLEET = [POD('a'), POD('b'), TEMPLATE, ENDPOINT, VOLUME];
const SET = ['--set-name', 'web'];

const write = (world: TestWorld, documents: readonly string[]): void => {
  writeFileSync(path.join(world.directory, 'fleet.yaml'), documents.join('\n---\n'));
};

async function apply(world: TestWorld, documents: readonly string[], flags: readonly string[]): Promise<Ran> {
  write(world, documents);
  return await run(world, ['apply', 'fleet.yaml', '--yes', ...flags]);
}

async function fleetOf(documents = FLEET): Promise<TestWorld> {
  const world = inWorld();
  const ran = await apply(world, documents, SET);
  expect(ran.code, ran.err).toBe(0);
  return world;
}

const named = async (world: TestWorld, noun: string): Promise<readonly string[]> =>
  (JSON.parse((await run(world, [noun, 'list', '--json'])).out) as { readonly name: string }[])
    .map(({ name }) => name)
    .filter((name) => ['a', 'b', 'c', 'base', 'api', 'data'].includes(name))
    .toSorted();

describe('apply --prune', () => {
  test('removes what the set made and no file names, after everything else, and never a volume', async () => {
    const world = await fleetOf();
    const text = [POD('a'), POD('c')].join('\n---\n');
    const planned = await rows(world, text, [...SET, '--prune']);
    expect(planned.map(({ action, kind, name }) => [action, kind, name])).toEqual([
      ['none', 'pod', 'a'],
      ['create', 'pod', 'c'],
      ['delete', 'template', 'base'],
      ['delete', 'endpoint', 'api'],
      ['delete', 'pod', 'b'],
    ]);
    const ran = await apply(world, [POD('a'), POD('c')], [...SET, '--prune', '--max-prune', '3']);
    expect([ran.code, ran.err], ran.out).toEqual([0, '1 created, 3 removed, 1 unchanged.\n']);
    expect(await named(world, 'pods')).toEqual(['a', 'c']);
    expect([await named(world, 'endpoints'), await named(world, 'templates')]).toEqual([[], []]);
    expect(await named(world, 'volumes')).toEqual(['data']);
    expect((await apply(world, [POD('a'), POD('c')], [...SET, '--prune'])).err).toBe('2 unchanged.\n');
  });

  test('the mark is of one set: other sets, and what has no mark, stay', async () => {
    const world = await fleetOf();
    await apply(world, [POD('c')], ['--set-name', 'other']);
    const planned = await rows(world, [...FLEET.slice(1)].join('\n---\n'), [...SET, '--prune']);
    expect(planned.filter(({ action }) => action === 'delete').map(({ name }) => name)).toEqual(['a']);
  });

  test.each([
    ['an empty file', '', 5],
    ['a file of comments', '# nothing\n', 5],
    ['more than half', [POD('a'), POD('b')].slice(0, 1).join('\n---\n'), 5],
  ])('%s ends 5 without --max-prune, and nothing is sent', async (_, text, code) => {
    const world = await fleetOf([POD('a'), POD('b'), POD('c')]);
    const ran = await apply(world, [text], [...SET, '--prune']);
    expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(/more than half.*nothing was sent/) as string]);
    expect(await named(world, 'pods')).toEqual(['a', 'b', 'c']);
  });

  test('nothing is removed while something before it failed, and it ends with the failure', async () => {
    const world = await fleetOf([POD('a'), POD('b'), POD('c')]);
    const docs = [POD('a'), POD('c'), POD('d').replace('GPU-24G', 'GPU-24G, count: 9')];
    const ran = await apply(world, docs, [...SET, '--prune', '--json']);
    const outcomes = JSON.parse(ran.out) as readonly { name: string; error?: { message: string } }[];
    expect(ran.code).toBe(5);
    expect(outcomes.find(({ name }) => name === 'b')?.error?.message).toBe('not done: something before it failed');
    expect(await named(world, 'pods')).toEqual(['a', 'b', 'c']);
  });

  test('a missing file ends 14, and nothing is sent', async () => {
    const world = await fleetOf([POD('a'), POD('b')]);
    const ran = await run(world, ['apply', 'missing.yaml', '--yes', ...SET, '--prune', '--max-prune', '9']);
    expect(ran.code).toBe(14);
    expect(await named(world, 'pods')).toEqual(['a', 'b']);
  });

  test('--max-prune is a limit: more ends 15, and nothing is sent', async () => {
    const world = await fleetOf([POD('a'), POD('b'), POD('c')]);
    const ran = await apply(world, [POD('a')], [...SET, '--prune', '--max-prune', '1']);
    expect([ran.code, await named(world, 'pods')]).toEqual([15, ['a', 'b', 'c']]);
  });

  test('says that a persistent mount is destroyed only where there is one', async () => {
    const world = await fleetOf([`${POD('a')}\nmounts: {persistent: {size: 20, path: /data}}`, POD('b'), POD('c')]);
    const planned = await rows(world, POD('c'), [...SET, '--prune']);
    expect(Object.fromEntries(planned.map(({ name, why }) => [name, why]))).toEqual({
      a: 'container disk and persistent mount erased',
      b: 'container disk erased',
      c: undefined,
    });
  });

  test('a profile that may not destroy is refused before anything is sent', async () => {
    const world = await fleetOf([POD('a'), POD('b')]);
    write(world, [POD('a'), POD('c')]);
    const env = { BERTH_LOCAL: '1', BERTH_DATA_DIR: path.join(world.directory, 'data'), BERTH_ACCESS: 'write' };
    const ran = await berthIn(createTestWorld({ env, cwd: world.directory, clock: world.clock }), [
      ...['apply', 'fleet.yaml', '--yes', ...SET, '--prune'],
    ]);
    expect([ran.code, ran.err]).toEqual([3, expect.stringContaining('nothing was sent')]);
    expect(await named(world, 'pods')).toEqual(['a', 'b']);
  });

  test('an empty file removes the set where --max-prune allows it; without --yes it asks', async () => {
    const world = await fleetOf([POD('a'), POD('b')]);
    write(world, ['']);
    const flags = [...SET, '--prune', '--max-prune', '2'];
    const asked = await run(world, ['apply', 'fleet.yaml', ...flags]);
    expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('--yes') as string]);
    expect((await apply(world, [''], flags)).code).toBe(0);
    expect(await named(world, 'pods')).toEqual([]);
  });

  test('a locked pod is not removed, and a word that is no name of a set ends 2', async () => {
    const world = await fleetOf([`${POD('a')}\nlocked: true`, POD('b'), POD('c')]);
    const ran = await apply(world, [POD('b'), POD('c')], [...SET, '--prune']);
    expect([ran.code, ran.err]).toEqual([5, expect.stringContaining('locked') as string]);
    expect(await named(world, 'pods')).toEqual(['a', 'b', 'c']);
    expect((await apply(world, [POD('a')], ['--set-name', 'a b'])).code).toBe(2);
    expect((await apply(world, [POD('a')], ['--prune'])).code).toBe(2);
  });

  test('a copy of a pod is not of the set', async () => {
    const world = await fleetOf([POD('a'), POD('b')]);
    writeFileSync(path.join(world.directory, 'a.yaml'), (await run(world, ['pods', 'get', 'a', '-o', 'yaml'])).out);
    const copied = await run(world, ['pods', 'create', '--name', 'c', '--file', 'a.yaml']);
    expect(copied.code, copied.err).toBe(0);
    expect((await apply(world, [POD('a'), POD('b')], [...SET, '--prune'])).err).toBe('2 unchanged.\n');
  });

  test('a list that is not whole prunes nothing', async () => {
    const world = await fleetOf([POD('a'), POD('b')]);
    await run(world, ['local', 'fault', 'add', 'server-error', '--match', 'GET /v2/serverless', '--count', '50']);
    const ran = await apply(world, [POD('a')], [...SET, '--prune']);
    expect([ran.code, ran.out]).toEqual([7, '']);
  });
});

/** Applies files without pod b; before pod b is read again, somebody else does something. */
async function pruneWhile(
  others: (remote: RemoteService, id: string) => Promise<unknown>,
): Promise<Ran & { names: readonly unknown[] }> {
  let id = '?';
  const remote = await remoteService(({ method, url }) =>
    method === 'GET' && url === `/v2/pods/${id}` ? { first: () => others(remote, id) } : undefined,
  );
  const world = () => createTestWorld({ env: remote.env, clock: remote.clock, cwd: directory });
  const { directory } = createTestWorld();
  writeFileSync(path.join(directory, 'fleet.yaml'), [POD('a'), POD('b')].join('\n---\n'));
  await berthIn(world(), ['apply', 'fleet.yaml', '--yes', ...SET]);
  const pods = async () => (await remote.send('GET', '/v2/pods')).body['pods'] as { id: string; name: string }[];
  id = (await pods()).find(({ name }) => name === 'b')?.id ?? '';
  writeFileSync(path.join(directory, 'fleet.yaml'), POD('a'));
  const ran = await berthIn(world(), ['apply', 'fleet.yaml', '--yes', ...SET, '--prune']);
  return { ...ran, names: (await pods()).map(({ name }) => name) };
}

describe('somebody else changes what is to be removed', () => {
  test.each([
    ['gives it another name', { name: 'kept' }, 'name'],
    ['takes its mark', { env: { MODE: 'fast' } }, 'env.BERTH_SET'],
    ['locks it', { locked: true }, 'locked'],
  ])('%s: it stays, and the error says which member', async (_, body, member) => {
    const ran = await pruneWhile(({ send }, id) => send('PATCH', `/v2/pods/${id}`, body));
    expect([ran.code, ran.err]).toEqual([
      5,
      expect.stringContaining(`since the plan, so not removed: ${member}`) as string,
    ]);
    expect(ran.names).toContain('name' in body ? 'kept' : 'b');
  });

  test('removes it: that is what was wanted', async () => {
    const ran = await pruneWhile(({ send }, id) => send('DELETE', `/v2/pods/${id}`));
    expect([ran.code, ran.names.includes('b')]).toEqual([0, false]);
  });
});
