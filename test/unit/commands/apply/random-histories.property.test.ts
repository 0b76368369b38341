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
  for (const [noun, verb] of [
    ['clusters', 'delete'],
    ['pods', 'terminate'],
    ['endpoints', 'delete'],
    ['templates', 'delete'],
    ['volumes', 'delete'],
    ['registries', 'delete'],
  ] as const) {
    const ids = (await done(world, [noun, 'list', '-o', 'id'])).split('\n').filter((id) => id !== '');
    if (ids.length > 0) await done(world, [noun, verb, ...ids, '--yes', ...(noun === 'pods' ? ['--force'] : [])]);
  }
  return world;
}

const SET = ['--set-name', 'fleet', '--prune'];

/** What happens before an apply: another fleet is described, and somebody changes what is there. */
const steps = fc.array(
  fc.record({
    fleet: fleets,
    drift: fc.constantFrom('none', 'image', 'name', 'env'),
    passed: fc.constantFrom(0, 1000, 300_000),
  }),
  { minLength: 1, maxLength: 4 },
);

interface Row {
  readonly id: string;
  readonly name: string;
}

async function change(world: TestWorld, drift: string, fleet: readonly FleetDocument[]): Promise<void> {
  const found = fleet.find(({ kind }) => ['pod', 'endpoint', 'template'].includes(kind));
  if (found === undefined || drift === 'none') return;
  const name = found.name.replace('$${', () => '${');
  const flags = { image: ['--image', 'theirs:1'], name: ['--name', 'theirs'], env: ['--env', 'A=theirs'] }[drift] ?? [];
  const rows = JSON.parse(await done(world, [`${found.kind}s`, 'list', '--json'])) as readonly Row[];
  const id = rows.find((row) => row.name === name)?.id ?? '';
  const yes = found.kind === 'pod' ? ['--yes'] : [];
  await done(world, [`${found.kind}s`, 'update', id, ...flags, ...yes]);
}

test(
  'after any history, what was applied has no difference; exported and applied to an empty account, its export is the same',
  { timeout: 900_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const world = await emptied();
        let before: readonly FleetDocument[] = [];
        for (const { fleet, drift, passed } of history) {
          await change(world, drift, before);
          world.clock.advance(passed);
          writeFileSync(path.join(world.directory, 'fleet.yaml'), textOf(fleet));
          await done(world, ['apply', 'fleet.yaml', '--yes', ...SET, '--max-prune', '99']);
          const planned = await plan(world, textOf(fleet), SET);
          expect([planned.code, planned.out]).toEqual([0, planned.out]);
          before = fleet;
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
