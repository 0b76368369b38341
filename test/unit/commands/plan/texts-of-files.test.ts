import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { inWorld, plan, rows, run } from '../../../support/worlds/plan-runs.ts';
import type { TestWorld } from '../../../support/worlds/test-world.ts';

const VOLUME = 'kind: volume\nname: datasets\nsize: 4000\n';

describe('a text that no plan can be made of ends 2, with its place', () => {
  const BOMB = Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`);
  test.each<readonly [string, string | Buffer, RegExp]>([
    [
      'aliases that expand to too many values',
      ['kind: pod', 'a0: &a0 [x]', ...BOMB].join('\n'),
      /fleet\.yaml.*too many/,
    ],
    ['an alias of itself', 'kind: pod\nname: &a {b: *a}\n', /fleet\.yaml/],
    [
      'an alias of another document',
      'kind: template\nname: a\nenv: &e {A: b}\n---\nkind: template\nname: b\nenv: *e\n',
      /Unresolved alias .*: e/,
    ],
    ['a tab', 'kind: pod\nenv:\n\tA: b\n', /line 3, column 1: Tabs/],
    ['a key twice', 'kind: pod\nname: a\nname: b\n', /line 3, column 1: Map keys must be unique/],
    ['a key twice in a JSON text', '{"kind":"pod",\n"name":"a","name":"b"}', /line 2, column 12: Map keys/],
    ['a word that is nearly a kind', 'kind: podd\nname: a\n', /fleet\.yaml:1:1: .*\n.*Did you mean pod\?/],
    ['a word that is no kind', `${VOLUME}---\nkind: ship\nname: a\n`, /fleet\.yaml:5:1: .*"ship"\n.*Kinds: registry/],
    ['a kind that is empty', 'name: a\nkind:\n', /fleet\.yaml:2:1: no kind ""/],
    ['UTF-16', Buffer.from(`\uFEFF${VOLUME}`, 'utf16le'), /not UTF-8 text: line 1, column 1/],
    ['Latin-1', Buffer.from('kind: template\nname: caf\u00e9\n', 'latin1'), /not UTF-8 text: line 2, column 10/],
    [
      'too many variables',
      `kind: template\nname: a\nimage: i\nenv: {${Array.from({ length: 51 }, (_, at) => `A${at}: b`).join()}}\n`,
      /fleet\.yaml:4:1: 51 variables/,
    ],
  ])('%s', async (_, text, said) => {
    const world = inWorld();
    writeFileSync(path.join(world.directory, 'fleet.yaml'), text);
    for (const argv of [
      ['plan', 'fleet.yaml'],
      ['apply', 'fleet.yaml', '--yes'],
    ]) {
      const ran = await run(world, argv);
      expect([ran.code, ran.out, ran.err]).toEqual([2, '', expect.stringMatching(said)]);
    }
  });
});

describe('texts that mean the same', () => {
  test.each<readonly [string, string]>([
    ['lines that end with CR and LF', VOLUME.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${VOLUME}`],
    ['an anchor within a document', 'kind: volume\nname: &n datasets\nid: vol-datasets\nsize: 4000\n'],
    ['empty documents and comments', `---\n# a\n---\n${VOLUME}...\n---\n`],
    ['JSON with a tab', '{\n\t"kind": "volume", "name": "datasets", "size": 4e3}'],
  ])('%s', async (_, text) => {
    const found = await rows(inWorld(), text);
    expect(found.map(({ name, changes }) => [name, changes.map(({ path: at, after }) => [at, after])])).toEqual([
      ['datasets', [['size', 4000]]],
    ]);
  });
});

test('two files with the same thing end 2 with both places', async () => {
  const world = inWorld();
  mkdirSync(path.join(world.directory, 'fleet'));
  writeFileSync(path.join(world.directory, 'fleet', 'a.yaml'), VOLUME);
  writeFileSync(path.join(world.directory, 'fleet', 'b.yaml'), `# a comment\n${VOLUME}`);
  const ran = await run(world, ['plan', 'fleet']);
  expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(/fleet\/b\.yaml:3:1: .*fleet\/a\.yaml:2:1/)]);
  const twice = await run(world, ['plan', 'fleet/a.yaml', 'fleet/a.yaml']);
  expect([twice.code, twice.err]).toEqual([2, expect.stringContaining('in the files already')]);
});

test('a file of 10 MB is planned, and an outcome is that of its one document', async () => {
  const world = inWorld();
  const ran = await plan(
    world,
    `${'# 97 characters and a line feed are a comment of this size, which is repeated until it is enough\n'.repeat(100_000)}${VOLUME}`,
    ['--json'],
  );
  expect([ran.code, (JSON.parse(ran.out) as readonly unknown[]).length]).toEqual([16, 1]);
  expect(ran.out).toContain('fleet.yaml:100001:1');
});

describe.skipIf(process.platform === 'win32')('what is in a folder and is no file', () => {
  const hasPipes = spawnSync('mkfifo', ['--version']).status === 0;
  function folder(): { readonly world: TestWorld; readonly at: (name: string) => string } {
    const world = inWorld();
    const at = (name: string): string => path.join(world.directory, 'fleet', name);
    mkdirSync(at('inner'), { recursive: true });
    mkdirSync(path.join(world.directory, 'elsewhere'));
    writeFileSync(path.join(world.directory, 'elsewhere', 'x.yaml'), VOLUME);
    return { world, at };
  }

  test('a link to a file is that file, as in a folder that is mounted from a ConfigMap', async () => {
    const { world, at } = folder();
    mkdirSync(at('..2026'));
    writeFileSync(at('..2026/x.yaml'), VOLUME);
    symlinkSync('..2026', at('..data'));
    symlinkSync('..data/x.yaml', at('x.yaml'));
    const ran = await run(world, ['plan', 'fleet', '--json']);
    expect([ran.code, ran.out]).toEqual([16, expect.stringContaining('fleet/x.yaml:1:1')]);
  });

  test.each<readonly [string, (at: (name: string) => string) => void, RegExp]>([
    ['a pipe', (at) => execFileSync('mkfifo', [at('x.yaml')]), /fleet\/x\.yaml is neither/],
    [
      'a link to nothing',
      (at) => {
        symlinkSync('gone.yaml', at('x.yaml'));
      },
      /fleet\/x\.yaml is neither/,
    ],
    [
      'a link to a folder',
      (at) => {
        symlinkSync('../elsewhere', at('more'));
      },
      /fleet\/more is neither/,
    ],
    [
      'a link to a folder above',
      (at) => {
        symlinkSync('..', at('inner/up'));
      },
      /inner\/up is neither/,
    ],
  ])('%s ends 2: a prune would remove what it describes', async (name, make, said) => {
    if (name === 'a pipe' && !hasPipes) return;
    const { world, at } = folder();
    writeFileSync(at('a.yaml'), VOLUME);
    make(at);
    const ran = await run(world, ['plan', 'fleet']);
    expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(said)]);
  });

  test('a pipe or a socket of another name is passed by', async () => {
    const { world, at } = folder();
    if (hasPipes) execFileSync('mkfifo', [at('pipe')]);
    writeFileSync(at('a.yaml'), VOLUME);
    expect((await run(world, ['plan', 'fleet'])).code).toBe(16);
  });

  test.skipIf(!hasPipes)('a pipe that is given by itself is read once, also with the name of a plan', async () => {
    for (const name of ['x.yaml', 'x.json']) {
      const { world, at } = folder();
      execFileSync('mkfifo', [at(name)]);
      const ran = run(world, ['apply', `fleet/${name}`, '--yes']);
      await appendFile(at(name), VOLUME);
      expect((await ran).code).toBe(0);
    }
  });
});
