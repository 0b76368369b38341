import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readSchema } from '../support/schemas/published-schemas.ts';

type Schemas = Readonly<Record<string, object>>;

const { brokenOutputs, namedInChangelog } = (await import(
  fileURLToPath(new URL('../../scripts/compare-schemas.mjs', import.meta.url))
)) as {
  readonly brokenOutputs: (
    before: Schemas,
    after: Schemas,
  ) => readonly { readonly command: string; readonly changes: readonly string[] }[];
  readonly namedInChangelog: (changelog: string, command: string) => boolean;
};

const schemas: Schemas = Object.fromEntries(
  ['pods get', 'pods list', 'volumes get', 'doctor', 'jobs batch report'].map((name) => [name, readSchema(name)]),
);

/** The published schemas with a part of their text replaced. */
function changed(command: string, from: string, to: string): Schemas {
  const text = JSON.stringify(schemas[command]);
  expect(text).toContain(from);
  return { ...schemas, [command]: JSON.parse(text.replace(from, to)) as object };
}

describe('changes that can break a program', () => {
  test.each([
    [
      'a member is renamed, of one row and of several',
      'volumes get',
      '"size":{"type"',
      '"sizeGb":{"type"',
      ['output.size: the member is gone', 'output[].size: the member is gone'],
    ],
    [
      'a member has another type',
      'volumes get',
      '"name":{"type":"string"}',
      '"name":{"type":"integer"}',
      ['output[].name: its type was string, and is integer now'],
    ],
    [
      'a word of an enumeration is gone',
      'doctor',
      '"OK","WARNING","ERROR","SKIPPED"',
      '"OK","ERROR","SKIPPED"',
      ['output[].result: it is never WARNING any more'],
    ],
    [
      'a word is new where the words were all of them',
      'doctor',
      '"OK","WARNING"',
      '"OK","NOTE","WARNING"',
      ['output[].result: it can be NOTE now'],
    ],
    [
      'a member can be absent',
      'volumes get',
      '"required":["id","name"',
      '"required":["id"',
      ['output.name: the member can be absent now', 'output[].name: the member can be absent now'],
    ],
    [
      'a member can be null',
      'jobs batch report',
      '"retried":{"type":"integer"',
      '"retried":{"type":["integer","null"]',
      ['output.retried: its type was integer, and is integer or null now'],
    ],
    [
      'a list is an object',
      'pods list',
      '"type":"array","items":{"$ref":"#/$defs/Pod"}',
      '"type":"object"',
      ['output: its type was array, and is object now'],
    ],
  ])('%s', (_, command, from, to, sentences) => {
    const broken = brokenOutputs(schemas, changed(command, from, to));
    expect(broken).toEqual([{ command, changes: sentences }]);
  });

  test('a member deep in a schema of the contract, in every command that prints it', () => {
    const without = (name: string): object =>
      JSON.parse(JSON.stringify(schemas[name]).replace('"memoryUtil":', '"memoryUse":')) as object;
    const after = { ...schemas, 'pods get': without('pods get'), 'pods list': without('pods list') };
    expect(brokenOutputs(schemas, after)).toEqual([
      {
        command: 'pods get',
        changes: ['output', 'output[]'].map((place) => `${place}.runtime.gpus[].memoryUtil: the member is gone`),
      },
      { command: 'pods list', changes: ['output[].runtime.gpus[].memoryUtil: the member is gone'] },
    ]);
  });

  test('a command prints no JSON any more', () => {
    const { doctor: _, ...others } = schemas;
    expect(brokenOutputs(schemas, others)).toEqual([
      { command: 'doctor', changes: ['it has no JSON output any more'] },
    ]);
  });
});

describe('changes that break nothing', () => {
  test.each([
    ['a new member', 'volumes get', '"size":{"type"', '"encrypted":{"type":"boolean"},"size":{"type"'],
    ['a new word of the service', 'pods get', '"PROVISIONING",', '"PROVISIONING","RESUMING",'],
    ['other words of the description', 'volumes get', 'show a network volume', 'show a volume'],
  ])('%s', (_, command, from, to) => {
    expect(brokenOutputs(schemas, changed(command, from, to))).toEqual([]);
  });

  test('a new command', () => {
    const { doctor: _, ...before } = schemas;
    expect(brokenOutputs(before, schemas)).toEqual([]);
  });
});

describe('CHANGELOG', () => {
  const changelog = [
    '# Changelog',
    '',
    '## Unreleased',
    '',
    '- Output of `volumes get`: `size` is `sizeGb`.',
    '- `Output of` is no command.',
    '',
    '## 0.1.0',
    '',
    '- Output of `pods get`: in an older release.',
  ].join('\n');

  test.each([
    ['volumes get', true],
    ['pods get', false],
    ['volumes', false],
  ])('%s is named in Unreleased: %s', (command, isNamed) => {
    expect(namedInChangelog(changelog, command)).toBe(isNamed);
  });
});
