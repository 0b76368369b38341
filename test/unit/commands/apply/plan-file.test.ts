import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { inWorld, run } from '../../../support/worlds/plan-runs.ts';
import type { TestWorld } from '../../../support/worlds/test-world.ts';

const FLEET = `kind: registry
name: hub
username: me
password: \${PASSWORD}
---
kind: pod
name: train-llm
image: mine:1
env: {HF_TOKEN: hidden-in-the-file, MODE: "\${MODE}"}
`;

/** A world with a plan of these files in plan.json. */
async function planned(text = FLEET, flags: readonly string[] = []): Promise<TestWorld> {
  const world = inWorld();
  write(world, 'fleet.yaml', text);
  write(world, 'vars', 'PASSWORD=hidden-password\nMODE=hidden-mode\n');
  const ran = await run(world, ['plan', 'fleet.yaml', '--env-from', 'vars', '--out', 'plan.json', ...flags]);
  expect(ran.code, ran.err).toBe(16);
  return world;
}

const write = (world: TestWorld, name: string, text: string): void => {
  writeFileSync(path.join(world.directory, name), text);
};

/** Leaves an account without volumes. */
async function emptied(world: TestWorld): Promise<void> {
  const ids = (await run(world, ['volumes', 'list', '-o', 'id'])).out.trim().split('\n');
  await run(world, ['pods', 'terminate', '--all', '--yes', '--force']);
  const ran = await run(world, ['volumes', 'delete', ...ids, '--yes']);
  expect(ran.code, ran.err).toBe(0);
}

/** Makes a volume as somebody else would. */
const made = async (world: TestWorld, name: string) =>
  await run(world, ['volumes', 'create', '--name', name, '--size', '10', '--data-center', 'EU-NORTH-1']);

const apply = async (world: TestWorld, ...flags: readonly string[]) =>
  await run(world, ['apply', 'plan.json', '--yes', ...flags]);

describe('a plan in a file', () => {
  test('is applied exactly, and is used up then', async () => {
    const world = await planned();
    const ran = await apply(world);
    expect([ran.code, ran.err], ran.out).toEqual([
      0,
      expect.stringMatching(/^1 created, 1 changed\. They cost \$/) as string,
    ]);
    const again = await apply(world);
    expect([again.code, again.err]).toEqual([
      5,
      expect.stringContaining('registry hub: it is planned otherwise') as string,
    ]);
  });

  test('has no secret, and only its owner can read it', async () => {
    const world = await planned();
    const file = path.join(world.directory, 'plan.json');
    expect(readFileSync(file, 'utf8')).not.toMatch(/hidden/);
    expect(readFileSync(file, 'utf8')).toContain('mine:1');
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test.each([
    [
      'a thing was changed',
      async (world: TestWorld) => run(world, ['pods', 'update', 'train-llm', '--image', 'theirs:1', '--yes']),
      /pod train-llm/,
    ],
    [
      'a thing is gone',
      async (world: TestWorld) => run(world, ['pods', 'terminate', 'train-llm', '--yes', '--force']),
      /a new pod needs/,
    ],
    [
      'a thing of the same name was made',
      async (world: TestWorld) =>
        run(world, ['registries', 'create', '--name', 'hub', '--username', 'x', '--password-file', 'vars']),
      /registry hub/,
    ],
    [
      'a file was changed',
      async (world: TestWorld) => {
        write(world, 'fleet.yaml', FLEET.replace('mine:1', 'mine:2'));
      },
      /pod train-llm/,
    ],
    [
      'a document is gone',
      async (world: TestWorld) => {
        write(world, 'fleet.yaml', FLEET.split('---')[1] ?? '');
      },
      /registry hub/,
    ],
    [
      'a secret is another one',
      async (world: TestWorld) => {
        write(world, 'vars', 'PASSWORD=hidden-other\nMODE=hidden-mode\n');
      },
      /not shown/,
    ],
    [
      'a secret of a file is another one',
      async (world: TestWorld) => {
        write(world, 'fleet.yaml', FLEET.replace('hidden-in-the-file', 'hidden-too'));
      },
      /not shown/,
    ],
  ])('is refused where %s: nothing is sent', async (_, change, said) => {
    const world = await planned();
    const changed = await change(world);
    if (changed !== undefined) expect(changed.code, changed.err).toBe(0);
    const before = (await run(world, ['export', '--json'])).out;
    const ran = await apply(world);
    expect([ran.code, ran.out]).toEqual([5, '']);
    expect(ran.err).toMatch(said);
    expect(ran.err).not.toMatch(/hidden/);
    expect((await run(world, ['export', '--json'])).out).toBe(before);
  });

  test('has its own flags: it is given alone, and from no stdin', async () => {
    const world = await planned(FLEET, ['--set-name', 'web', '--prune']);
    for (const flags of [['--replace'], ['--set-name', 'x'], ['fleet.yaml']])
      expect((await apply(world, ...flags)).code).toBe(2);
    expect((await apply(world)).code).toBe(0);
    const stdin = await run(world, ['plan', '-', '--out', 'other.json']);
    expect([stdin.code, stdin.err]).toEqual([2, expect.stringContaining('stdin') as string]);
  });

  test('is left out of a folder that has it beside its files, and is no folder of files by itself', async () => {
    const world = inWorld();
    mkdirSync(path.join(world.directory, 'fleet'));
    write(world, 'fleet/volume.yaml', 'kind: volume\nname: datasets\nsize: 4000\n');
    for (const flags of [['--out', 'fleet/plan.json'], []]) {
      const ran = await run(world, ['plan', 'fleet', ...flags]);
      expect(ran.code, ran.err).toBe(16);
    }
    rmSync(path.join(world.directory, 'fleet/volume.yaml'));
    const alone = await run(world, ['plan', 'fleet', '--prune', '--set-name', 'web']);
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('and is no plan') as string]);
  });

  test('has a name that ends in .json, because apply knows it by that', async () => {
    const world = inWorld();
    write(world, 'fleet.yaml', 'kind: volume\nname: datasets\nsize: 4000\n');
    const ran = await run(world, ['plan', 'fleet.yaml', '--out', 'kept.plan']);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('.json') as string]);
  });

  test.each<readonly [string, (text: string) => string, number, RegExp]>([
    ['of another version', (text) => text.replace('"berthPlan":2', '"berthPlan":1'), 2, /this version of berth/],
    ['cut off', (text) => text.slice(0, -20), 2, /not whole/],
    ['without its digest', (text) => text.replace(/,"digest":"[^"]*"/, ''), 2, /no plan/],
    ['with another value', (text) => text.replace('mine:1', 'mine:2'), 5, /pod train-llm/],
    ['with another action', (text) => text.replace('"action":"create"', '"action":"none"'), 5, /registry hub/],
    ['with a prune', (text) => text.replace('"prune":false', '"prune":true'), 5, /edited/],
    ['of other files', (text) => text.replace('"fleet.yaml"', '"fleet.yaml","other.yaml"'), 5, /edited/],
    ['with another salt', (text) => text.replace(/"salt":"[^"]/, '"salt":"_'), 5, /edited/],
    ['without what was there', (text) => text.replace(/"there":\[[^\]]*\]/, '"there":[]'), 5, /another account/],
  ])('%s is refused: nothing is sent', async (_, edit, code, said) => {
    const world = await planned();
    write(world, 'other.yaml', '# nothing\n');
    const text = readFileSync(path.join(world.directory, 'plan.json'), 'utf8');
    expect(edit(text)).not.toBe(text);
    write(world, 'plan.json', edit(text));
    const before = (await run(world, ['export', '--json'])).out;
    const ran = await apply(world);
    expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(said)]);
    expect((await run(world, ['export', '--json'])).out).toBe(before);
  });

  test('whose spaces a formatter changed is the same plan', async () => {
    const world = await planned();
    const text = readFileSync(path.join(world.directory, 'plan.json'), 'utf8');
    write(world, 'plan.json', JSON.stringify(JSON.parse(text), undefined, 2));
    expect((await apply(world)).code).toBe(0);
  });

  // An address is the same for all accounts, and no answer names its account: what is there tells them apart.
  test.each<readonly [string, (world: TestWorld) => Promise<unknown>, (world: TestWorld) => Promise<unknown>]>([
    ['that has other things', async () => undefined, emptied],
    ['that has things where there were none', emptied, async (world) => made(world, 'theirs')],
  ])('of creates alone is refused by an account %s', async (_, before, after) => {
    const world = inWorld();
    await before(world);
    write(world, 'fleet.yaml', `kind: volume\nname: mine\nsize: 10\ndataCenter: EU-NORTH-1\n`);
    expect((await run(world, ['plan', 'fleet.yaml', '--out', 'plan.json'])).code).toBe(16);
    await after(world);
    const ran = await apply(world);
    expect([ran.code, ran.err]).toEqual([5, expect.stringContaining('another account') as string]);
    expect((await run(world, ['volumes', 'list', '--match', 'mine', '--json'])).out).toBe('[]\n');
  });

  test('of creates alone is applied by an account that had nothing, and by one that has more by now', async () => {
    for (const before of [emptied, async () => undefined]) {
      const world = inWorld();
      await before(world);
      write(world, 'fleet.yaml', `kind: volume\nname: mine\nsize: 10\ndataCenter: EU-NORTH-1\n`);
      await run(world, ['plan', 'fleet.yaml', '--out', 'plan.json']);
      if (before !== emptied) await made(world, 'theirs');
      expect((await apply(world)).code).toBe(0);
    }
  });

  test('files of variables may be at another place', async () => {
    const world = await planned();
    write(world, 'elsewhere', 'PASSWORD=hidden-password\nMODE=hidden-mode\n');
    write(world, 'vars', '');
    expect((await apply(world, '--env-from', 'elsewhere')).code).toBe(0);
  });
});
