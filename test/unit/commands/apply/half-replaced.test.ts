/** An apply that makes a new pod and cannot remove the old one. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { inWorld, run } from '../../../support/worlds/plan-runs.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';

const OLD = 'kind: pod\nname: lab\nimage: a/b:1\ngpu: {id: GPU-24G}\n';
const NEW = 'kind: pod\nname: lab\ngpu: {id: GPU-48G}\n';

const write = (world: TestWorld, text: string): void => {
  writeFileSync(path.join(world.directory, 'fleet.yaml'), text);
};
const labs = async (world: TestWorld): Promise<readonly string[]> =>
  (await run(world, ['pods', 'list', '--match', 'lab', '-o', 'id'])).out.trim().split('\n');

async function withOld(): Promise<TestWorld> {
  const world = inWorld();
  write(world, OLD);
  expect((await run(world, ['apply', 'fleet.yaml', '--yes'])).code).toBe(0);
  write(world, NEW);
  return world;
}

const withAccess = (world: TestWorld, access: string, ...argv: readonly string[]) =>
  berthIn(
    createTestWorld({
      env: { BERTH_LOCAL: '1', BERTH_DATA_DIR: path.join(world.directory, 'data'), BERTH_ACCESS: access },
      cwd: world.directory,
      clock: world.clock,
    }),
    ['apply', 'fleet.yaml', ...argv],
  );

test.each([
  ['write', '--replace'],
  ['read', ''],
])('a profile that may only %s is refused before anything is sent', async (access, flag) => {
  const world = await withOld();
  if (flag === '') write(world, OLD.replace('lab', 'other'));
  const before = await labs(world);
  const ran = await withAccess(world, access, '--yes', ...(flag === '' ? [] : [flag]));
  expect([ran.code, ran.err]).toEqual([3, expect.stringContaining('nothing was sent')]);
  expect(await labs(world)).toEqual(before);
});

test('where the old one cannot be removed, the new one is named, counted, and the same apply goes on', async () => {
  const world = await withOld();
  await run(world, ['local', 'fault', 'add', 'server-error', '--match', 'DELETE /v2/pods']);
  const ran = await run(world, ['apply', 'fleet.yaml', '--replace', '--yes']);
  const [made] = await labs(world);
  expect(ran.code).not.toBe(0);
  expect(ran.err).toContain(`Its new one, ${made ?? '?'} (lab), was made: both are there and paid.`);
  expect(ran.err).toContain(`berth --local pods terminate ${made ?? '?'}`);
  expect(await labs(world)).toHaveLength(2);
  write(world, `${NEW}---\nkind: template\nname: t\nimage: a/b\n`);
  await run(world, ['local', 'fault', 'clear']);
  const again = await run(world, ['apply', 'fleet.yaml', '--replace', '--yes']);
  expect([again.code, await labs(world)]).toEqual([0, [made]]);
});

test('with others, the sum counts both', async () => {
  const world = await withOld();
  write(world, `${NEW}---\nkind: template\nname: t\nimage: a/b\n`);
  await run(world, ['local', 'fault', 'add', 'server-error', '--match', 'DELETE /v2/pods']);
  const ran = await run(world, ['apply', 'fleet.yaml', '--replace', '--yes']);
  expect(ran.err).toMatch(/They cost \$0\.69 an hour before, and \$1\.55 an hour after\./);
});
