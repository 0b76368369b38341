import { readFileSync, statSync, writeFileSync } from 'node:fs';
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

  test('has a name that ends in .json, because apply knows it by that', async () => {
    const world = inWorld();
    write(world, 'fleet.yaml', 'kind: volume\nname: datasets\nsize: 4000\n');
    const ran = await run(world, ['plan', 'fleet.yaml', '--out', 'kept.plan']);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('.json') as string]);
  });

  test('of another version, and a cut one, end 2 and say so', async () => {
    const world = await planned();
    const text = readFileSync(path.join(world.directory, 'plan.json'), 'utf8');
    for (const other of [text.replace('"berthPlan":1', '"berthPlan":2'), text.slice(0, -20)]) {
      write(world, 'plan.json', other);
      expect((await apply(world)).code).toBe(2);
    }
  });

  test('files of variables may be at another place', async () => {
    const world = await planned();
    write(world, 'elsewhere', 'PASSWORD=hidden-password\nMODE=hidden-mode\n');
    write(world, 'vars', '');
    expect((await apply(world, '--env-from', 'elsewhere')).code).toBe(0);
  });
});
