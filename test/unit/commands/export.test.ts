import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { TestWorld } from '../../support/worlds/test-world.ts';
import { inWorld, plan, rows, run } from '../../support/worlds/plan-runs.ts';

/** The one secret variable of the pods that a new account has. */
async function seededPassword(world: TestWorld): Promise<string> {
  const pod = JSON.parse((await run(world, ['pods', 'get', 'pod-notebook', '--json'])).out) as {
    readonly env: Readonly<Record<string, string>>;
  };
  return pod.env['JUPYTER_PASSWORD'] ?? '';
}

test('what is exported has no difference from what is there', async () => {
  const world = inWorld();
  await run(world, [
    ...'pods create --name a --gpu GPU-24G --image i --network-volume datasets:/d --registry reg-team --env X=${HOME} -- sh -c'.split(
      ' ',
    ),
    'echo $X',
  ]);
  for (const size of ['10', '20'])
    await run(world, ['volumes', 'create', '--name', 'twin', '--size', size, '--data-center', 'EU-NORTH-1']);
  const ran = await run(world, ['export']);
  expect(ran.code, ran.err).toBe(0);
  writeFileSync(path.join(world.directory, 'vars'), `JUPYTER_PASSWORD=${await seededPassword(world)}\n`);
  const found = await rows(world, ran.out, ['--env-from', 'vars']);
  expect(found.length).toBeGreaterThan(15);
  expect(found.filter(({ action }) => action !== 'none')).toEqual([]);
  expect(ran.out).toContain('volumeId: datasets');
});

test('without secrets, what is exported has no difference without --env-from', async () => {
  const world = inWorld();
  const create = ['pods', 'create', '--name', 'a', '--gpu', 'GPU-24G', '--image', 'i', '--env', 'X=${HOME}'];
  await run(world, [...create, '--', 'sh', '-c', 'echo ${X}']);
  await run(world, ['pods', 'terminate', 'pod-notebook', '--yes']);
  const ran = await run(world, ['export']);
  expect((await rows(world, ran.out)).filter(({ action }) => action !== 'none')).toEqual([]);
});

test('secret variables are marked, and the files with their values have no difference', async () => {
  const world = inWorld();
  await run(world, 'pods create --name a --gpu GPU-24G --image i --env HF_TOKEN=old-secret --env X=${HOME}'.split(' '));
  await run(
    world,
    'pods create --name b --gpu GPU-24G --image i --env HF_TOKEN=other-secret --env API-KEY=other-secret --env URL=postgres://u:other-secret@h/'.split(
      ' ',
    ),
  );
  for (const flags of [[], ['--json'], ['-o', 'yaml'], ['-o', 'csv']]) {
    const each = await run(world, ['export', 'pod', ...flags]);
    expect([each.code, each.out]).toEqual([0, expect.not.stringMatching(/(old|other)-secret/) as string]);
  }
  const ran = await run(world, ['export', 'pod']);
  expect(ran.err).toContain('--env-from');
  writeFileSync(
    path.join(world.directory, 'vars'),
    `API_KEY=other-secret\nURL=postgres://u:other-secret@h/\nHF_TOKEN=old-secret\nHF_TOKEN_2=other-secret\nJUPYTER_PASSWORD=${await seededPassword(world)}\n`,
  );
  const found = await plan(world, ran.out, ['--env-from', 'vars']);
  expect([found.code, found.err]).toEqual([0, found.err]);
});

test('only the kinds that are asked for, and a word that is none ends 2', async () => {
  const world = inWorld();
  const ran = await run(world, ['export', 'volume', '--json']);
  expect(new Set((JSON.parse(ran.out) as { kind: string }[]).map(({ kind }) => kind))).toEqual(new Set(['volume']));
  const wrong = await run(world, ['export', 'volum']);
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('volume') as string]);
});
