/** What an apply says that made a part: of waits that ended, and of a refusal beside what was made. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inWorld, run } from '../../../support/worlds/plan-runs.ts';

const pod = (name: string, image = 'a/b:1', count = 1) =>
  `kind: pod\nname: ${name}\nimage: ${image}\ngpu: {id: GPU-24G, count: ${String(count)}}\n`;

async function apply(documents: readonly string[], ...flags: readonly string[]) {
  return await applyIn(inWorld(), documents, ...flags);
}

async function applyIn(world: ReturnType<typeof inWorld>, documents: readonly string[], ...flags: readonly string[]) {
  writeFileSync(path.join(world.directory, 'fleet.yaml'), documents.join('---\n'));
  return await run(world, ['apply', 'fleet.yaml', '--yes', ...flags]);
}

test('after a wait that ended, all that was made is created, counted and still paid', async () => {
  const ran = await apply([pod('a'), pod('b')], '--wait', '--wait-timeout', '1s');
  expect(ran.code).toBe(9);
  const ids = [...ran.out.matchAll(/^created\tpod\t[ab]\t(pod-\w+)\t/gm)].map(([, id]) => id ?? '');
  expect(ids).toHaveLength(2);
  expect(ran.out).toContain('not waited for: something before it failed');
  expect(ran.err).toContain('2 created. They cost $0.00 an hour before, and $1.38 an hour after.');
  expect(ran.err).toContain(`Go on waiting: berth --local pods wait ${ids.join(' ')} --for reachable`);
  for (const id of ids)
    expect(ran.err).toMatch(new RegExp(`Still paid: pod ${id} .*: berth --local pods stop ${id}\n`));
});

test('a pod that does not start is still paid, and so is the one that was not waited for', async () => {
  const ran = await apply([pod('bad', 'example/does-not-start:latest'), pod('good')], '--wait');
  expect([ran.code, ran.err]).toEqual([10, expect.stringContaining('2 created. They cost $0.00')]);
  expect(ran.err).toMatch(/Still paid: pod \S+ \(bad\), ERROR, \$0\.69 an hour: berth --local pods terminate/);
  expect(ran.err).toMatch(/Still paid: pod \S+ \(good\), [A-Z]+, \$0\.69 an hour: berth --local pods stop/);
  expect(ran.err).toMatch(/Why: berth --local pods explain pod-/);
});

test('an apply that is run again does not call ready what did not start before', async () => {
  const world = inWorld();
  const documents = [pod('bad', 'example/does-not-start:latest'), pod('good')];
  expect((await applyIn(world, documents, '--wait', '--keep-going')).code).toBe(10);
  const again = await applyIn(world, documents, '--wait', '--keep-going');
  expect([again.code, again.err]).toEqual([10, expect.stringContaining('it is ERROR and cannot become ready')]);
  expect(again.err).toMatch(/Still paid: pod \S+ \(bad\), ERROR, \$0\.69 an hour/);
  expect((await applyIn(world, documents)).code).toBe(0);
});

test('an apply that is run again waits for what is not ready since the one before', async () => {
  const world = inWorld();
  const documents = [
    pod('a'),
    'kind: endpoint\nname: e\nimage: a/b:1\ngpu: {pools: [POOL-24G]}\nworkers: {min: 1, max: 2}\n',
  ];
  expect((await applyIn(world, documents)).code).toBe(0);
  expect((await run(world, ['pods', 'get', 'a', '--json'])).out).toContain('"status": "PROVISIONING"');
  const ran = await applyIn(world, documents, '--wait');
  expect([ran.code, ran.err]).toEqual([0, ran.err]);
  expect((await run(world, ['pods', 'get', 'a', '--json'])).out).toContain('"status": "RUNNING"');
});

test('where something was made, no hint says that nothing changed', async () => {
  const ran = await apply([pod('many', 'a/b:1', 9), pod('one')], '--keep-going');
  expect([ran.code, ran.err]).toEqual([5, expect.stringContaining('1 created.')]);
  expect(ran.err).not.toContain('Nothing changed');
  expect(ran.err).toContain('-> Correct what the error names');
});
