import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { acceptedPaths, FILE_KINDS, KINDS, type KindName } from '../../../../src/commands/plan/kinds.ts';
import { contract } from '../../../../src/local/contract/document.ts';
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

/** The least document of each kind. */
const LEAST: Readonly<Record<KindName, readonly Readonly<Record<string, unknown>>[]>> = {
  registry: [{ username: 'me', password: 'hidden' }],
  volume: [{ size: 10, dataCenter: 'EU-NORTH-1' }],
  template: [{ image: 'a/b:1' }],
  endpoint: [
    { image: 'a/b:1', gpu: { pools: ['POOL-24G'] } },
    { image: 'a/b:1', cpu: [{ id: 'cpu-general', vcpuCount: 4 }] },
  ],
  pod: [
    { image: 'a/b:1', gpu: { id: 'GPU-24G' } },
    { image: 'a/b:1', cpu: { id: 'cpu-general', vcpuCount: 4 } },
  ],
};

type Schema = Readonly<Record<string, unknown>>;
interface Published {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
}

/** The members of a schema that have a default, with it. */
function defaultsOf(
  document: unknown,
  schema: Schema,
  at: readonly string[] = [],
): readonly (readonly [string, unknown])[] {
  const reference = schema['$ref'];
  const node =
    typeof reference === 'string'
      ? (reference
          .split('/')
          .slice(1)
          .reduce<unknown>((inner, name) => (inner as Schema)[name], document) as Schema)
      : schema;
  const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((name) => (node[name] ?? []) as readonly Schema[]);
  return [
    ...('default' in node && at.length > 0 ? [[at.join('.'), node['default']] as const] : []),
    ...parts.flatMap((part) => defaultsOf(document, part, at)),
    ...Object.entries((node['properties'] ?? {}) as Readonly<Record<string, Schema>>).flatMap(([name, inner]) =>
      defaultsOf(document, inner, [...at, name]),
    ),
  ];
}

/** What the local service publishes as defaults of the creates of each kind. */
function publishedDefaults(): readonly { kind: KindName; member: string; value: unknown; least: Schema }[] {
  const document = contract as unknown as Published;
  return KINDS.flatMap((kind) => {
    const create = document.paths[`/${FILE_KINDS[kind].collection.path.join('/')}`]?.['post'] ?? {};
    const { content } = create['requestBody'] as { readonly content: Readonly<Record<string, { schema: Schema }>> };
    const found = defaultsOf(document, content['application/json']?.schema ?? {});
    return found.flatMap(([member, value]) =>
      // A GPU has defaults only where there is one.
      LEAST[kind]
        .filter((least) => !member.startsWith('gpu.') || 'gpu' in least)
        .map((least) => ({ kind, member, value, least })),
    );
  });
}

describe('the defaults of the service', () => {
  const cases = publishedDefaults();

  test('are published for three kinds', () => {
    expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set(['template', 'endpoint', 'pod']));
    expect(cases.length).toBeGreaterThan(15);
  });

  test.each(KINDS)('a document without them has no difference once it is applied: %s', async (kind) => {
    for (const least of LEAST[kind]) {
      const world = inWorld();
      const document = { kind, name: 'sample', ...least };
      await apply(world, document);
      expect((await plan(world, textOf([document]))).code).toBe(0);
    }
  });

  test.each(KINDS)('a document with all of them is made so, and has no difference then: %s', async (kind) => {
    for (const least of LEAST[kind]) {
      const world = inWorld();
      const own = cases.filter((each) => each.kind === kind && each.least === least);
      const document = own.reduce<Readonly<Record<string, unknown>>>(
        (made, { member, value }) => changedAt(made, member, value),
        {
          ...{ kind, name: 'sample', ...least },
        },
      );
      await apply(world, document);
      expect((await rows(world, textOf([document]))).map(({ action }) => action)).toEqual(['none']);
    }
  });
});

test.each(SAMPLES)(
  '$label: null makes each member empty, or says that it cannot be',
  { timeout: 300_000 },
  async ({ kind, document }) => {
    const world = inWorld();
    await apply(world, ...SURROUNDINGS, document);
    const members = acceptedPaths(FILE_KINDS[KINDS.find((each) => each === kind) ?? 'pod']);
    let emptied = document;
    for (const member of members.filter((each) => each !== 'name')) {
      const other = changedAt(document, member, null);
      const planned = await plan(world, textOf([other]), ['--json']);
      if (planned.code === 2)
        expect(planned.err).toMatch(/must be .*, not null|must be one of|cpu of an endpoint must be a list/);
      if (planned.code !== 16) continue;
      const [row] = JSON.parse(planned.out) as readonly Row[];
      if (row?.action === 'blocked') {
        expect([member, row.why]).toEqual([member, expect.stringMatching(/cannot be (empty|changed)/)]);
        continue;
      }
      emptied = changedAt(emptied, member, null);
    }
    await apply(world, emptied);
    expect((await plan(world, textOf([emptied]))).code).toBe(0);
  },
);
