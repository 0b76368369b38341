import { describe, expect, test } from 'vitest';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { objectionsTo } from '../../../support/schemas/printed-schemas.ts';
import { SAMPLES, SURROUNDINGS } from '../../../support/apply/every-field.ts';
import { inWorld, run } from '../../../support/worlds/plan-runs.ts';

describe('the schema of files, for editors', () => {
  test('takes what export prints, and a document with each field of the tables', async () => {
    const exported = JSON.parse((await run(inWorld(), ['export', '--json'])).out) as readonly unknown[];
    expect(exported.length).toBeGreaterThan(5);
    for (const document of [...exported, ...SURROUNDINGS, ...SAMPLES.map(({ document: each }) => each)])
      expect(objectionsTo('apply', document)).toBeUndefined();
  });

  test.each([
    ['an unknown kind', { kind: 'ship', name: 'a' }],
    ['an unknown member', { kind: 'pod', name: 'a', imag: 'i' }],
    ['a text for a number', { kind: 'volume', name: 'a', size: '10' }],
    ['an unknown word', { kind: 'pod', name: 'a', cloud: 'SECUR' }],
    ['no name', { kind: 'pod' }],
  ])('refuses %s', (_, document) => {
    expect(objectionsTo('apply', document)).toBeDefined();
  });
});

test('documents from stdin are planned, and errors in them name stdin', async () => {
  const planned = async (stdin: string) =>
    await berthIn(createTestWorld({ env: { BERTH_LOCAL: '1' }, stdin }), ['plan', '-', '--json']);
  const ran = await planned('kind: volume\nname: datasets\nsize: 4000\n');
  expect([ran.code, ran.out]).toEqual([16, expect.stringContaining('"stdin:1:1"')]);
  const wrong = await planned('kind: volume\nname: datasets\nsise: 4000\n');
  expect([wrong.code, wrong.err]).toEqual([
    2,
    expect.stringMatching(/stdin:3:1: sise of a volume is unknown[^]*size\?/),
  ]);
  expect((await planned('kind: endpoint\nname: e\nsise: 1\n')).err).toContain(
    'stdin:3:1: sise of an endpoint is unknown',
  );
});
