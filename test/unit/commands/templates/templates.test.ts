import { describe, expect, test } from 'vitest';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const LOCAL = { env: { BERTH_LOCAL: '1' } };
const CREATE = ['templates', 'create', '--name', 't', '--image', 'i'];

async function bodyOf(...argv: readonly string[]): Promise<unknown> {
  const ran = await berth([...argv, '--dry-run'], LOCAL);
  expect(ran.code, ran.err).toBe(0);
  return (JSON.parse(ran.out) as { readonly body: unknown }).body;
}

describe('the body that create sends', () => {
  test.each<[string, readonly string[], Readonly<Record<string, unknown>>]>([
    ['least', [], {}],
    ['for endpoints, for all to read', ['--serverless', '--public'], { serverless: true, public: true }],
    [
      'without servers of its own',
      ['--start-ssh', 'off', '--start-jupyter', 'off'],
      { startSsh: false, startJupyter: false },
    ],
    [
      'hardware',
      ['--category', 'amd', '--cuda', '12.4,12.8'],
      { category: 'AMD', allowedCudaVersions: ['12.4', '12.8'] },
    ],
  ])('%s', async (_, flags, expected) => {
    expect(await bodyOf(...CREATE, ...flags)).toEqual({ name: 't', image: 'i', ...expected });
  });
});

describe('create and update refuse before anything is sent', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['no image', ['templates', 'create', '--name', 't'], /missing --image/],
    ['no name and no image', ['templates', 'create'], /missing --name and --image/],
    ['a category that is none', [...CREATE, '--category', 'TPU'], /--category is one of/],
  ])('%s', async (_, argv, words) => {
    const ran = await berth(argv, LOCAL);
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toMatch(words);
  });
});

test('a public template of another account can be read, and a change of it ends 4', async () => {
  const world = createTestWorld(LOCAL);
  expect((await berthIn(world, ['templates', 'get', 'tpl-pytorch'])).code).toBe(0);
  expect((await berthIn(world, ['templates', 'update', 'tpl-pytorch', '--name', 'mine'])).code).toBe(4);
});

test('a template in use is not deleted, and is deleted when nothing uses it', async () => {
  const world = createTestWorld(LOCAL);
  const pod = ['pods', 'create', '--name', 'p', '--template', 'team training', '--gpu', 'GPU-24G', '-o', 'id'];
  const { out, code, err } = await berthIn(world, pod);
  expect(code, err).toBe(0);
  const refused = await berthIn(world, ['templates', 'delete', 'tpl-train', '--yes']);
  expect(refused.code).toBe(5);
  expect(refused.err).toContain(out.trim());
  await berthIn(world, ['pods', 'terminate', out.trim(), '--yes']);
  expect((await berthIn(world, ['templates', 'delete', 'tpl-train', '--yes'])).code).toBe(0);
});

test.each<[readonly string[], readonly string[]]>([
  [[], ['tpl-worker', 'tpl-train']],
  [['--pods'], ['tpl-train']],
  [['--serverless'], ['tpl-worker']],
])('list %j', async (flags, ids) => {
  const ran = await berth(['templates', 'list', '-o', 'id', ...flags], LOCAL);
  expect(ran.out.trim().split('\n')).toEqual(ids);
});
