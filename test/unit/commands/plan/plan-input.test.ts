import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { inWorld, plan, rows, run, type Row } from '../../../support/worlds/plan-runs.ts';

describe('identity', () => {
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
});

describe('folders and variables', () => {
  test('a folder is read with its folders, in the order of names', async () => {
    const world = inWorld();
    mkdirSync(path.join(world.directory, 'fleet', 'b'), { recursive: true });
    const volume = (name: string): string => `kind: volume\nname: ${name}\nsize: 10\ndataCenter: EU-NORTH-1\n`;
    writeFileSync(path.join(world.directory, 'fleet', 'c.yml'), volume('third'));
    writeFileSync(path.join(world.directory, 'fleet', 'b', 'x.yaml'), volume('second'));
    writeFileSync(path.join(world.directory, 'fleet', 'a.json'), '{"kind":"volume","name":"datasets"}');
    writeFileSync(path.join(world.directory, 'fleet', 'notes.txt'), 'kind: none');
    const ran = await run(world, ['plan', 'fleet/', '--json']);
    expect((JSON.parse(ran.out) as readonly Row[]).map(({ name }) => name)).toEqual(['datasets', 'second', 'third']);
  });

  test('variables are replaced only with --env-from, and are never printed', async () => {
    const world = inWorld();
    const text = `kind: pod\nname: train-llm\nenv: {A: '\${TOKEN}', PLAIN: '$\${TOKEN}'}\n`;
    writeFileSync(path.join(world.directory, 'fleet.yaml'), text);
    for (const argv of [
      ['plan', 'fleet.yaml'],
      ['apply', 'fleet.yaml', '--yes'],
    ]) {
      const refused = await run(world, argv);
      expect([refused.code, refused.err]).toEqual([
        2,
        expect.stringMatching(/\$\{TOKEN\}\n.*--env-from FILE/) as string,
      ]);
    }
    const [plainRow] = await rows(world, text.replace("A: '${TOKEN}', ", ''));
    expect(plainRow?.changes.map(({ after }) => after)).toEqual(['${TOKEN}']);
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
});

describe('secrets', () => {
  const TEXT = `kind: pod\nname: a\nenv: {HF_TOKEN: new-secret, URL: 'postgres://u:new-secret@h/', MODE: fast}\n`;

  test('the values of secret variables are hidden in every format, before and after', async () => {
    const world = inWorld();
    const create = [
      'pods',
      'create',
      '--name',
      'a',
      '--gpu',
      'GPU-24G',
      '--image',
      'i',
      '--env',
      'HF_TOKEN=old-secret',
    ];
    const absent = await plan(world, `${TEXT}image: i\ngpu: {id: GPU-24G}\n`, ['--json']);
    await run(world, [...create, '--env', 'URL=postgres://u:old-secret@h/']);
    const runs = [absent];
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
    const shown = await plan(world, TEXT, ['--json', '--show-secrets']);
    expect(shown.out).toContain('new-secret');
  });
});

describe('a profile that may only read', () => {
  test('plans, and applies nothing', async () => {
    const world = inWorld();
    writeFileSync(path.join(world.directory, 'fleet.yaml'), 'kind: volume\nname: datasets\nsize: 4000\n');
    const readOnly = async (...argv: readonly string[]) =>
      await berthIn(
        createTestWorld({
          env: { BERTH_LOCAL: '1', BERTH_ACCESS: 'read', BERTH_DATA_DIR: path.join(world.directory, 'data') },
          cwd: world.directory,
          clock: world.clock,
        }),
        argv,
      );
    const planned = await readOnly('plan', 'fleet.yaml');
    expect([planned.code, planned.err]).toEqual([16, expect.stringContaining('1 to change') as string]);
    const refused = await readOnly('apply', 'fleet.yaml', '--yes');
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('nothing was sent') as string]);
    expect((await run(world, ['apply', 'fleet.yaml', '--yes'])).code).toBe(0);
  });
});

test('an error of a file has the right article', async () => {
  const world = inWorld();
  const unknown = await plan(world, 'kind: endpoint\nname: y\nimage: a/b\ngpu: {pool: POOL-24G}\n');
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('gpu.pool of an endpoint is unknown')]);
  const pod = 'kind: pod\nname: x\nimage: a/b\ngpu: {id: GPU-24G}\nmounts: {persistent: {size: 5, path: /w}}\n';
  const mount = await plan(world, pod);
  expect([mount.code, mount.err]).toEqual([2, expect.stringContaining('at least 10 GB')]);
});
