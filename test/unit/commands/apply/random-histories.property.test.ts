import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fleets, type FleetDocument } from '../../../support/apply/random-fleet.ts';
import { inWorld, plan, run } from '../../../support/worlds/plan-runs.ts';
import type { TestWorld } from '../../../support/worlds/test-world.ts';

const textOf = (documents: readonly FleetDocument[]): string =>
  documents.map((document) => JSON.stringify(document)).join('\n---\n');

async function done(world: TestWorld, argv: readonly string[]): Promise<string> {
  const ran = await run(world, argv);
  expect([ran.code, ran.err, ran.out], argv.join(' ')).toEqual([0, ran.err, ran.out]);
  return ran.out;
}

/** Deletes all that a new account of the local service has. */
async function emptied(): Promise<TestWorld> {
  const world = inWorld();
  const deletes = ['clusters delete', 'pods terminate --force'];
  deletes.push(...['endpoints', 'templates', 'volumes', 'registries'].map((noun) => `${noun} delete`));
  for (const [noun = '', ...verb] of deletes.map((line) => line.split(' '))) {
    const ids = (await done(world, [noun, 'list', '-o', 'id'])).split('\n').filter((id) => id !== '');
    if (ids.length > 0) await done(world, [noun, ...verb, ...ids, '--yes']);
  }
  return world;
}

const SET = ['--set-name', 'fleet', '--prune'];

test(
  'after one fleet in the place of another nothing differs; exported and applied to an empty account, its export is the same',
  { timeout: 900_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fleets, { minLength: 1, maxLength: 3 }), async (history) => {
        const world = await emptied();
        for (const fleet of history) {
          writeFileSync(path.join(world.directory, 'fleet.yaml'), textOf(fleet));
          await done(world, ['apply', 'fleet.yaml', '--yes', ...SET, '--max-prune', '99']);
          const planned = await plan(world, textOf(fleet), SET);
          expect([planned.code, planned.out]).toEqual([0, planned.out]);
          world.clock.advance(300_000);
        }
        const exported = await done(world, ['export']);
        const other = await emptied();
        writeFileSync(path.join(other.directory, 'fleet.yaml'), exported);
        writeFileSync(path.join(other.directory, 'vars'), 'HUB_USERNAME=me\nHUB_PASSWORD=p\n');
        await done(other, ['apply', 'fleet.yaml', '--yes', '--env-from', 'vars']);
        expect(await done(other, ['export'])).toBe(exported);
      }),
      {
        numRuns: Number(process.env['BERTH_FLEET_RUNS'] ?? 4),
        seed: Number(process.env['BERTH_FLEET_SEED'] ?? 20_261_124),
        endOnFailure: true,
      },
    );
  },
);
