import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { acceptedPaths, FILE_KINDS, KINDS } from '../../../../src/commands/plan/kinds.ts';
import { changedAt, SAMPLES, SURROUNDINGS } from '../../../support/apply/every-field.ts';
import { inWorld, plan, type Row, rows, run } from '../../../support/worlds/plan-runs.ts';
import type { TestWorld } from '../../../support/worlds/test-world.ts';

const textOf = (documents: readonly unknown[]): string =>
  documents.map((document) => JSON.stringify(document)).join('\n---\n');

async function apply(world: TestWorld, ...documents: readonly unknown[]): Promise<void> {
  writeFileSync(path.join(world.directory, 'fleet.yaml'), textOf(documents));
  const ran = await run(world, ['apply', 'fleet.yaml', '--yes']);
  expect(ran.code, ran.err).toBe(0);
}

test('every member of the field tables is in a sample', () => {
  for (const kind of KINDS) {
    const changed = SAMPLES.filter((sample) => sample.kind === kind).flatMap(({ changes }) =>
      changes.map((change) => change.path.replaceAll(/\.\d+/g, '')),
    );
    const missing = acceptedPaths(FILE_KINDS[kind]).filter(
      (each) => each !== 'name' && !changed.some((changedPath) => `${changedPath}.`.startsWith(`${each}.`)),
    );
    expect(missing, kind).toEqual([]);
  }
});

test.each(SAMPLES)(
  '$label: of members that change one after the other, a plan names the one that differs, and apply makes it so',
  { timeout: 300_000 },
  async ({ document, changes }) => {
    const world = inWorld();
    await apply(world, ...SURROUNDINGS, document);
    let current = document;
    for (const { path: changedPath, value, outcome, named } of changes) {
      const other = changedAt(current, changedPath, value);
      // What was changed before does not differ any more.
      const [row] = await rows(world, textOf([other]));
      const [paths, what] = [row?.changes.map((change) => change.path), `${changedPath} to ${JSON.stringify(value)}`];
      expect(paths, what).toEqual(outcome === 'not compared' ? [] : (named ?? [changedPath]));
      expect(row?.action, what).toBe(
        { fixed: 'blocked', 'not compared': 'none', changed: 'update', 'at the next start': 'update' }[outcome],
      );
      if (outcome === 'fixed' || outcome === 'not compared') continue;
      await apply(world, other);
      if (outcome === 'at the next start') {
        world.clock.advance(300_000);
        for (const verb of ['stop', 'start'])
          expect((await run(world, ['pods', verb, 'sample', '--yes'])).code).toBe(0);
      }
      current = other;
    }
    expect((await rows(world, textOf([current]))).map(({ changes: left }) => left)).toEqual([[]]);
  },
);

test.each(SAMPLES)(
  '$label: null makes each member empty, or says that it cannot be',
  { timeout: 300_000 },
  async ({ kind, document }) => {
    const world = inWorld();
    await apply(world, ...SURROUNDINGS, document);
    const members = acceptedPaths(FILE_KINDS[KINDS.find((each) => each === kind) ?? 'pod']);
    let emptied = document;
    for (const member of members.filter((each) => each !== 'name')) {
      const planned = await plan(world, textOf([changedAt(document, member, null)]), ['--json']);
      if (planned.code === 2)
        expect(planned.err).toMatch(/must be .*, not null|must be one of|cpu of an endpoint must be a list/);
      if (planned.code !== 16) continue;
      const [row] = JSON.parse(planned.out) as readonly Row[];
      if (row?.action === 'blocked')
        expect([member, row.why]).toEqual([member, expect.stringMatching(/cannot be (empty|changed)/)]);
      else emptied = changedAt(emptied, member, null);
    }
    await apply(world, emptied);
    expect((await plan(world, textOf([emptied]))).code).toBe(0);
  },
);
