import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inWorld, run } from '../../../support/worlds/plan-runs.ts';

const fleet = (registry: string, password: string): string =>
  `kind: registry\nname: ${registry}\nusername: me\npassword: ${password}\n---\n` +
  `kind: template\nname: base\nimage: mine:1\nregistry: ${registry}\n---\n` +
  `kind: pod\nname: lab\nimage: mine:1\ngpu: {id: GPU-24G}\nregistry: ${registry}\n`;

test('another password of a registry is no difference: plan and apply say that it is not sent, and what to do', async () => {
  const world = inWorld();
  const write = (text: string): void => {
    writeFileSync(path.join(world.directory, 'fleet.yaml'), text);
  };
  write(fleet('hub', 'hidden-1'));
  const first = await run(world, ['apply', 'fleet.yaml', '--yes']);
  expect([first.code, first.err]).toEqual([0, expect.not.stringContaining('Not compared')]);

  write(fleet('hub', 'hidden-2'));
  const said =
    /Not compared and not sent: username and password of registry hub\.[^]*another name[^]*berth --local registries delete reg-/;
  for (const argv of [
    ['plan', 'fleet.yaml'],
    ['apply', 'fleet.yaml', '--yes'],
  ]) {
    const ran = await run(world, argv);
    expect([ran.code, ran.err]).toEqual([0, expect.stringMatching(said)]);
    expect(ran.out + ran.err).not.toContain('hidden');
    const json = await run(world, [...argv, '--json']);
    expect(json.err).toBe('');
  }

  // What the note says to do, done. The pod runs by now.
  world.clock.advance(600_000);
  write(fleet('hub-2', 'hidden-2'));
  const planned = await run(world, ['plan', 'fleet.yaml']);
  expect([planned.code, planned.out]).toEqual([16, expect.stringMatching(/registry: reg-\w+ -> hub-2 \(restarts it/)]);
  expect((await run(world, ['apply', 'fleet.yaml', '--yes'])).code).toBe(0);
  const removed = await run(world, ['registries', 'delete', 'hub', '--yes']);
  expect([removed.code, removed.err]).toEqual([0, removed.err]);
  expect((await run(world, ['plan', 'fleet.yaml'])).code).toBe(0);
});

test('a registry in the files without its credential needs no word about it', async () => {
  const world = inWorld();
  const exported = await run(world, ['export', 'registry', '--json']);
  const [{ name = '' } = {}] = JSON.parse(exported.out) as readonly { readonly name?: string }[];
  writeFileSync(path.join(world.directory, 'fleet.yaml'), `kind: registry\nname: ${name}\n`);
  const ran = await run(world, ['plan', 'fleet.yaml']);
  expect([ran.code, ran.err]).toEqual([0, expect.not.stringContaining('Not compared')]);
});
