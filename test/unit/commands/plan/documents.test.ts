import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { SAMPLES, SURROUNDINGS } from '../../../support/apply/every-field.ts';
import { objectionsTo } from '../../../support/schemas/printed-schemas.ts';
import { inWorld, plan, rows, run, type Row } from '../../../support/worlds/plan-runs.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const VOLUME = 'kind: volume\nname: datasets\nsize: 4000\n';

describe('a file that is wrong ends 2 and says where, and an apply of it sends nothing', () => {
  const BOMB = Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`);
  const POD = 'kind: pod\nname: train-llm\n';
  test.each<readonly [string, string | Buffer, RegExp]>([
    [
      'aliases that expand to too many values',
      ['kind: pod', 'a0: &a0 [x]', ...BOMB].join('\n'),
      /fleet\.yaml.*alias count/,
    ],
    ['an alias of itself', 'kind: pod\nname: &a {b: *a}\n', /fleet\.yaml/],
    ['a tab', 'kind: pod\nenv:\n\tA: b\n', /fleet\.yaml:3:1: not YAML: Tabs/],
    ['a key twice', 'kind: pod\nname: a\nname: b\n', /fleet\.yaml:3:1: not YAML: Map keys must be unique/],
    ['UTF-16', Buffer.from(`\uFEFF${VOLUME}`, 'utf16le'), /not UTF-8 text/],
    ['no YAML in the second document', 'kind: volume\nname: a\n---\n{', /fleet\.yaml:4:2: not YAML/],
    ['a list', '- a', /fleet\.yaml:1:1: .*object/],
    ['a word that is nearly a kind', 'kind: pdo\nname: a', /fleet\.yaml:1:1: [^]*pod\?/],
    ['a word that is no kind', `${VOLUME}---\nkind: ship\nname: a\n`, /fleet\.yaml:5:1: .*"ship"\n.*Kinds: registry/],
    ['no kind', 'name: a', /fleet\.yaml:1:1: kind is missing\n.*Kinds: registry/],
    ['no name', 'kind: pod', /fleet\.yaml:1:1: .*needs a name/],
    ['a name that is a number', 'kind: volume\nname: 1e3', /fleet\.yaml:2:1: .*a text/],
    ['an unknown member', 'kind: pod\nname: a\nimag: x', /fleet\.yaml:3:1: [^]*image/],
    [
      'an unknown inner member',
      'kind: endpoint\nname: a\ngpu:\n  cuont: 2',
      /fleet\.yaml:4:3: gpu.cuont of an endpoint[^]*count/,
    ],
    ['a text for a number', 'kind: volume\nname: a\nsize: "100"', /fleet\.yaml:3:1: .*must be a number/],
    ['a number for a variable', 'kind: pod\nname: a\nenv:\n  A: 1', /fleet\.yaml:4:3: [^]*quotes/],
    ['a text for an object', `${POD}gpu: GPU-80G`, /fleet\.yaml:3:1: gpu of a pod must be an object/],
    ['a number for a name of another thing', `${POD}volume: 7`, /fleet\.yaml:3:1: volume of a pod must be a text/],
    ['a number in a list', `${POD}ports:\n  - 8080`, /fleet\.yaml:4:5: ports of a pod must be a text/],
    ['an unknown word', 'kind: pod\nname: a\ncloud: SECUR', /fleet\.yaml:3:1: [^]*SECURE/],
    ['a bound', 'kind: volume\nname: a\nsize: 5', /fleet\.yaml:1:1: .*use 10 to 4096 GB/],
    ['a missing member', 'kind: volume\nname: a', /fleet\.yaml:1:1: .*size, and dataCenter/],
    ['an unknown volume', `${POD}image: i\nvolume: datasetz`, /fleet\.yaml:4:1: [^]*datasets/],
    [
      'an unknown template',
      'kind: endpoint\nname: a\ntemplate: none',
      /fleet\.yaml:3:1: neither the files nor the service have a template "none"/,
    ],
    ['an unknown id', 'kind: pod\nid: none\nname: a', /fleet\.yaml:2:1: .*none/],
    ['two of one name', `${POD}---\n${POD}`, /fleet\.yaml:5:1: .*already: fleet\.yaml:2:1/],
    [
      'one by its name and by its id',
      `${VOLUME}---\nkind: volume\nid: vol-datasets\nname: datasets`,
      /fleet\.yaml:7:1: .*already: fleet\.yaml:2:1/,
    ],
    [
      'a variable without a value',
      `${POD}env: {A: '\${TOKEN}'}`,
      /fleet\.yaml:3:\d+: .*\$\{TOKEN\}\n.*--env-from FILE/,
    ],
  ])('%s', async (_, text, says) => {
    const world = inWorld();
    writeFileSync(path.join(world.directory, 'fleet.yaml'), text);
    for (const argv of [['plan'], ['apply', '--yes']]) {
      const ran = await run(world, [...argv, 'fleet.yaml']);
      expect([ran.code, ran.out, ran.err]).toEqual([2, '', expect.stringMatching(says)]);
    }
  });

  test('a missing file is not an empty one', async () => {
    const world = inWorld();
    expect((await run(world, ['plan', 'none.yaml'])).code).toBe(14);
    const empty = await plan(world, '# later\n');
    expect([empty.code, empty.err]).toEqual([0, expect.stringContaining('hold no document') as string]);
  });
});

test.each([
  ['lines that end with CR and LF', VOLUME.replaceAll('\n', '\r\n')],
  ['a byte order mark', `\uFEFF${VOLUME}`],
  ['an anchor within a document', 'kind: volume\nname: &n datasets\nid: vol-datasets\nsize: 4000\n'],
  ['empty documents and comments', `---\n# a\n---\n${VOLUME}...\n---\n`],
  ['JSON', '{\n\t"kind": "volume", "name": "datasets", "size": 4e3}'],
])('a text that means the same has the same plan: %s', async (_, text) => {
  expect(await rows(inWorld(), text)).toMatchObject([{ name: 'datasets', changes: [{ path: 'size', after: 4000 }] }]);
});

test('documents from stdin are planned, and errors in them name stdin', async () => {
  const planned = (stdin: string) =>
    berthIn(createTestWorld({ env: { BERTH_LOCAL: '1' }, stdin }), ['plan', '-', '--json']);
  expect(await planned(VOLUME)).toMatchObject({ code: 16, out: expect.stringContaining('"stdin:1:1"') as string });
  const wrong = await planned('kind: volume\nname: datasets\nsise: 4000\n');
  expect([wrong.code, wrong.err]).toEqual([
    2,
    expect.stringMatching(/stdin:3:1: sise of a volume is unknown[^]*size\?/),
  ]);
});

test('two of one name are named with their ids, and an id says which one', async () => {
  const world = inWorld();
  for (const size of ['10', '20'])
    await run(world, ['volumes', 'create', '--name', 'twin', '--size', size, '--data-center', 'EU-NORTH-1']);
  const ids = (await run(world, ['volumes', 'list', '--match', 'twin', '-o', 'id'])).out.trim().split('\n');
  const ran = await plan(world, 'kind: volume\nname: twin\n');
  expect([ran.code, ids.length]).toEqual([2, 2]);
  for (const id of ids) expect(ran.err).toContain(id);
  expect((await rows(world, `kind: volume\nname: twin\nid: ${ids[0] ?? ''}`)).map(({ id }) => id)).toEqual([ids[0]]);
});

describe('a folder', () => {
  test('is read with its folders, in the order of names, and links to files are files', async () => {
    const world = inWorld();
    const at = (name: string): string => path.join(world.directory, 'fleet', name);
    const volume = (name: string): string => `kind: volume\nname: ${name}\nsize: 10\ndataCenter: EU-NORTH-1\n`;
    mkdirSync(at('b'), { recursive: true });
    mkdirSync(at('..2026'));
    writeFileSync(at('c.yml'), volume('third'));
    writeFileSync(at('b/x.yaml'), volume('second'));
    writeFileSync(at('a.json'), '{"kind":"volume","name":"datasets"}');
    writeFileSync(at('notes.txt'), 'kind: none');
    // As in a folder that is mounted from a ConfigMap.
    writeFileSync(at('..2026/x.yaml'), volume('fourth'));
    symlinkSync('..2026', at('..data'));
    symlinkSync('..data/x.yaml', at('d.yaml'));
    const ran = await run(world, ['plan', 'fleet/', '--json']);
    expect((JSON.parse(ran.out) as readonly Row[]).map(({ name }) => name)).toEqual([
      ...['datasets', 'second', 'third', 'fourth'],
    ]);
  });

  const hasPipes = spawnSync('mkfifo', ['--version']).status === 0;
  test.skipIf(!hasPipes).each([
    ['a pipe', undefined],
    ['a link to nothing', 'gone.yaml'],
    ['a link to a folder', '.'],
  ])('with %s ends 2: a prune would remove what it describes', async (_, target) => {
    const world = inWorld();
    const at = (name: string): string => path.join(world.directory, 'fleet', name);
    mkdirSync(at(''));
    writeFileSync(at('a.yaml'), VOLUME);
    // Another pipe is passed by.
    execFileSync('mkfifo', [at('pipe')]);
    expect((await run(world, ['plan', 'fleet'])).code).toBe(16);
    if (target === undefined) execFileSync('mkfifo', [at('x.yaml')]);
    else symlinkSync(target, at('x.yaml'));
    const ran = await run(world, ['plan', 'fleet']);
    expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(/fleet\/x\.yaml is neither/)]);
  });

  test.skipIf(!hasPipes)('a pipe that is given by itself is read once', async () => {
    const world = inWorld();
    const pipe = path.join(world.directory, 'x.yaml');
    execFileSync('mkfifo', [pipe]);
    const ran = run(world, ['apply', 'x.yaml', '--yes']);
    await appendFile(pipe, VOLUME);
    expect((await ran).code).toBe(0);
  });
});

test('variables are replaced only with --env-from, and are never printed', async () => {
  const world = inWorld();
  const text = `kind: pod\nname: train-llm\nenv: {A: '\${TOKEN}', PLAIN: '$\${TOKEN}'}\n`;
  writeFileSync(path.join(world.directory, 'vars'), 'TOKEN=very-secret\n');
  for (const flags of [['--json'], ['-o', 'wide'], ['-o', 'yaml']]) {
    const ran = await plan(world, text, ['--env-from', 'vars', ...flags]);
    expect(ran.out + ran.err).not.toContain('very-secret');
    expect(ran.out).toContain('***');
  }
  const [row] = await rows(world, text, ['--env-from', 'vars']);
  expect(row?.changes.map(({ after }) => after)).toEqual(['***', '${TOKEN}']);
  const unknown = await plan(world, text.replace('${TOKEN}', '${OTHER}'), ['--env-from', 'vars']);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('fleet.yaml:3:') as string]);
});

test('the values of secret variables are hidden in every format, before and after', async () => {
  const TEXT = `kind: pod\nname: a\nenv: {HF_TOKEN: new-secret, URL: 'postgres://u:new-secret@h/', MODE: fast}\n`;
  const world = inWorld();
  const runs = [await plan(world, `${TEXT}image: i\ngpu: {id: GPU-24G}\n`, ['--json'])];
  await run(world, [
    ...['pods', 'create', '--name', 'a', '--gpu', 'GPU-24G', '--image', 'i'],
    ...['--env', 'HF_TOKEN=old-secret', '--env', 'URL=postgres://u:old-secret@h/'],
  ]);
  for (const format of ['table', 'wide', 'json', 'yaml', 'csv']) runs.push(await plan(world, TEXT, ['-o', format]));
  for (const { code, out, err } of runs) {
    expect(code).toBe(16);
    expect(out + err).not.toMatch(/(new|old)-secret/);
  }
  const [row] = await rows(world, TEXT);
  expect(row?.changes.map((change) => [change.path, change.before, change.after])).toEqual([
    ['env.HF_TOKEN', '***', '***'],
    ['env.URL', 'postgres://u:***@h/', 'postgres://u:***@h/'],
    ['env.MODE', null, 'fast'],
  ]);
  expect((await plan(world, TEXT, ['--json', '--show-secrets'])).out).toContain('new-secret');
});

test('a profile that may only read plans, and applies nothing', async () => {
  const world = inWorld();
  writeFileSync(path.join(world.directory, 'fleet.yaml'), VOLUME);
  const env = { BERTH_LOCAL: '1', BERTH_ACCESS: 'read', BERTH_DATA_DIR: path.join(world.directory, 'data') };
  const readOnly = (...argv: readonly string[]) =>
    berthIn(createTestWorld({ env, cwd: world.directory, clock: world.clock }), argv);
  const planned = await readOnly('plan', 'fleet.yaml');
  expect([planned.code, planned.err]).toEqual([16, expect.stringContaining('1 to change') as string]);
  const refused = await readOnly('apply', 'fleet.yaml', '--yes');
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('nothing was sent') as string]);
});

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
