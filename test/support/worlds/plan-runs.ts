import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { objectionsTo } from '../schemas/printed-schemas.ts';
import { berthIn, type Ran } from './run-berth.ts';
import { createTestWorld, type TestWorld } from './test-world.ts';

interface Change {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly effect: string;
}
export interface Row {
  readonly action: string;
  readonly kind: string;
  readonly name: string;
  readonly id?: string;
  readonly why?: string;
  readonly changes: readonly Change[];
  readonly costBefore: number | null;
  readonly costAfter: number | null;
}

export const inWorld = (): TestWorld => createTestWorld({ env: { BERTH_LOCAL: '1' } });

export async function plan(world: TestWorld, text: string, flags: readonly string[] = []): Promise<Ran> {
  writeFileSync(path.join(world.directory, 'fleet.yaml'), text);
  return await run(world, ['plan', 'fleet.yaml', ...flags]);
}

/** A run in a world of its own output, on the account of another world. */
export const run = async (world: TestWorld, argv: readonly string[]): Promise<Ran> =>
  await berthIn(
    createTestWorld({
      env: { BERTH_LOCAL: '1', BERTH_DATA_DIR: path.join(world.directory, 'data') },
      cwd: world.directory,
      clock: world.clock,
    }),
    argv,
  );

export async function rows(world: TestWorld, text: string, flags: readonly string[] = []): Promise<readonly Row[]> {
  const ran = await plan(world, text, [...flags, '--json']);
  expect([0, 16], ran.err).toContain(ran.code);
  const value = JSON.parse(ran.out) as readonly Row[];
  expect(objectionsTo('plan', value)).toBeUndefined();
  expect(ran.code).toBe(value.some(({ action }) => action !== 'none') ? 16 : 0);
  return value;
}
