import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { runCli } from '../../src/main.ts';
import { createTestWorld, type TestWorld } from '../support/worlds/test-world.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The worked example: the path of a file on its own line, then the whole file or a diff of it. */
const BLOCK = /^`(src\/[^`]+)`\n\n```(ts|diff)\n([\s\S]*?)^```$/gm;
const blocks = [...readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').matchAll(BLOCK)].map(
  ([, path = '', language, content = '']) => ({ path, isNew: language === 'ts', content }),
);

// Inside the project, so that packages can be resolved from there.
const copy = mkdtempSync(join(ROOT, '.scratch-'));
afterAll(() => {
  rmSync(copy, { recursive: true, force: true });
});

beforeAll(() => {
  cpSync(join(ROOT, 'src'), join(copy, 'src'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(copy, 'package.json'));
  for (const { path, isNew, content } of blocks) {
    const file = join(copy, path);
    writeFileSync(file, isNew ? content : patched(readFileSync(file, 'utf8'), content));
  }
  const operations = readFileSync(join(import.meta.dirname, 'support/local-snapshots-probe.ts'), 'utf8');
  writeFileSync(
    join(copy, 'src/local/resources/snapshots.ts'),
    operations.replaceAll('../../../src/local/', '../').replace(/^\/\/.*\n/, ''),
  );
  const table = join(copy, 'src/local/table.ts');
  writeFileSync(table, patched(readFileSync(table, 'utf8'), IN_THE_TABLE));
});

const IN_THE_TABLE = ` import { tagOperations } from './resources/tags.ts';
+import { snapshotOperations } from './resources/snapshots.ts';
@@
   ...volumeOperations,
+  ...snapshotOperations,
`;

/** Applies each hunk of a diff to a text. The old lines of a hunk must occur exactly once. */
function patched(text: string, diff: string): string {
  return diff.split(/^@@\n/m).reduce((before, hunk) => {
    const lines = hunk.trimEnd().split('\n');
    const side = (sign: string): string =>
      lines.flatMap((line) => (line.startsWith(sign) || line.startsWith(' ') ? `${line.slice(1)}\n` : [])).join('');
    const parts = before.split(side('-'));
    if (parts.length !== 2) throw new Error(`the hunk does not fit:\n${hunk}`);
    return parts.join(side('+'));
  }, text);
}

/** Builds berth with the example and runs it on the local service of one world. */
async function example() {
  const { runCli: run } = (await import(join(copy, 'src/main.ts'))) as { runCli: typeof runCli };
  const world: TestWorld = createTestWorld();
  return async (...argv: readonly string[]) => {
    const [out, err] = [world.out().length, world.err().length];
    const code = await run(argv, world);
    return { code, out: world.out().slice(out), err: world.err().slice(err) };
  };
}

interface Snapshot {
  readonly id: string;
  readonly name: string;
}

describe('the worked examples', () => {
  it('change these files: for a noun two, for a column one, for a fault kind two', () => {
    expect(blocks.map(({ path, isNew }) => [path, isNew])).toEqual([
      ['src/commands/snapshots.ts', true],
      ['src/registry.ts', false],
      ['src/commands/pods/fields.ts', false],
      ['src/core/fault-kinds.ts', false],
      ['src/local/http/faults.ts', false],
    ]);
  });

  it('compiles', () => {
    // The line of the registry needs the types of every noun: the tests below run it.
    const files = blocks.filter(({ path }) => path !== 'src/registry.ts').map(({ path }) => join(copy, path));
    const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
    const argv = [oxlint, '--type-aware', '--type-check', '--deny-warnings', ...files];
    const { status, stdout } = spawnSync(process.execPath, argv, { cwd: ROOT, encoding: 'utf8' });
    expect(status, stdout).toBe(0);
  });

  it('creates, lists, gets and deletes, by id and by name', async () => {
    const berth = await example();
    const local = async (...argv: readonly string[]): Promise<unknown> => {
      const { code, out, err } = await berth('--local', '--json', 'snapshots', ...argv);
      expect({ argv, code, err }).toEqual({ argv, code: 0, err });
      return out === '' ? undefined : JSON.parse(out);
    };
    const before = (await local('list')) as readonly Snapshot[];
    expect(before).toHaveLength(1);

    const made = (await local('create', '--name', 'mine', '--volume', 'scratch')) as Snapshot;
    expect(made).toMatchObject({ name: 'mine', volumeId: 'vol-scratch' });
    expect(await local('list')).toEqual([...before, made]);
    expect(await local('get', 'mine')).toEqual(made);
    expect(await local('get', made.id)).toEqual(made);
    await local('delete', 'mine', 'datasets, first version', '--yes');
    expect(await local('list')).toEqual([]);
    expect((await berth('--local', 'snapshots', 'get', made.id)).code).toBe(4);
  });

  it('has the features of every resource: dry runs, questions, files, refusals', async () => {
    const berth = await example();
    const create = ['--local', 'snapshots', 'create'];
    const dry = await berth(...create, '--name', 'a', '--volume', 'vol-scratch', '--dry-run');
    expect(JSON.parse(dry.out)).toMatchObject({ method: 'POST', body: { name: 'a', volumeId: 'vol-scratch' } });
    expect(await berth(...create)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('--name') as string,
    });
    expect((await berth(...create, '--set', 'name=a', '--set', 'volumeId=none')).code).toBe(4);
    expect((await berth(...create, '--name', 'a', '--volume', 'vol-scratch', '--set', 'size=3')).err).toContain(
      '/size',
    );
    expect((await berth('--local', 'snapshots', 'delete', 'snap-datasets')).code).toBe(2);
    expect((await berth('--local', 'snapshots', 'list')).out).toContain('vol-datasets');
  });

  it('has the verb with its flag', async () => {
    const berth = await example();
    expect((await berth('--local', 'snapshots', 'source', 'snap-datasets')).out).toBe('vol-datasets\n');
    expect((await berth('--local', 'snapshots', 'source', 'snap-datasets', '--path')).out).toBe('vol-datasets:\n');
  });

  it('is short', () => {
    const lines = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').split('\n').length;
    expect(lines).toBeLessThanOrEqual(150);
  });

  it('appears in help and completion, and not in the published contract', async () => {
    const berth = await example();
    expect((await berth('--help')).out).toContain('snapshots');
    expect((await berth('snapshots', '--help')).out).toMatch(/list[\s\S]*get[\s\S]*create[\s\S]*delete/);
    const { out: help } = await berth('snapshots', 'create', '--help');
    for (const flag of ['--name', '--volume', '--set', '--file', '--dry-run']) expect(help).toContain(flag);
    expect((await berth('__complete', 'zsh', 'sn')).out).toContain('snapshots');
    expect((await berth('__complete', 'zsh', 'snapshots', 'create', '--v')).out).toContain('--volume');
    expect((await berth('__complete', 'zsh', '--local', 'snapshots', 'get', '')).out).toContain('snap-datasets');
    const { out: contract } = await berth('--local', 'api', 'GET', '/v2/openapi.json');
    expect([contract.includes('"/v2/pods/{id}"'), contract.includes('napshot')]).toEqual([true, false]);
  });

  it('adds the fault kind to the command and to the local service', async () => {
    const berth = await example();
    expect((await berth('local', 'fault', 'add', '--help')).out).toMatch(/\bconflict\b/);
    expect((await berth('local', 'fault', 'add', 'conflict', '--count', '1')).code).toBe(0);
    expect((await berth('--local', 'pods', 'list')).code).toBe(5);
    expect((await berth('--local', 'pods', 'list')).code).toBe(0);
  });

  it('adds the column to the wide table alone', async () => {
    const berth = await example();
    expect((await berth('--local', 'pods', 'list', '-o', 'wide')).out).toMatch(/^ID\t.*\tIMAGE\tCUDA\n/);
    expect((await berth('--local', 'pods', 'list')).out).not.toContain('CUDA');
  });
});
