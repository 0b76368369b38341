import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeBatch } from '../support/batch/written-batch.ts';
import { json, pointedAt, serve } from '../support/servers/scripted-server.ts';
import { expectBlock } from '../support/worlds/expect-run.ts';
import { berthIn, type Ran } from '../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../support/worlds/test-world.ts';

// Row 47 of docs/faults.md: something that is not berth's is in the place of a file of berth. A command that needs the file
// ends with 14 and names it; a command that only remembers something there does without. What is there stays as it is.

const hasPipes = spawnSync('mkfifo', ['--version']).status === 0;
const MINE = 'This is a file of the user.\nIt is not berth’s.\n';

type Put = (path: string) => void | Promise<void>;
const KINDS = {
  ...(hasPipes ? { 'a pipe': ((path) => void execFileSync('mkfifo', [path])) satisfies Put } : {}),
  'a folder': (path) => {
    mkdirSync(path);
    writeFileSync(join(path, 'mine'), MINE);
  },
  'a link to nowhere': (path) => {
    symlinkSync(`${path}-nowhere`, path);
  },
  'a link to a file of the user': (path) => {
    writeFileSync(`${path}-mine`, MINE);
    symlinkSync(`${path}-mine`, path);
  },
  'a socket': async (path) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => {
      server.close();
    });
  },
  'a file of the user': (path) => {
    writeFileSync(path, MINE);
  },
} satisfies Readonly<Record<string, Put>>;
type Kind = keyof typeof KINDS;

/** What is at a path, and what a link or a folder there leads to. */
function lookAt(path: string): unknown {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'nothing';
  const { mode, ino } = stats;
  if (stats.isSymbolicLink()) return { mode, ino, to: readlinkSync(path), target: lookAt(readlinkSync(path)) };
  if (stats.isDirectory())
    return { mode, ino, names: readdirSync(path).map((name) => [name, lookAt(join(path, name))]) };
  return { mode, ino, content: stats.isFile() ? readFileSync(path, 'utf8') : '' };
}

/** Puts something at a path of a world, runs `run`, and checks that what was put there is still the same. */
async function withInTheWay<T>(kind: Kind, path: string, run: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await KINDS[kind]?.(path);
  const before = lookAt(path);
  const result = await run();
  expect(lookAt(path)).toEqual(before);
  return result;
}

interface Case {
  /** The file, below the folder of the world. */
  readonly file: string;
  readonly argv: readonly string[];
  /** What the command finds there besides. */
  readonly prepare?: (world: TestWorld) => void;
  readonly env?: Readonly<Record<string, string>>;
  /** Kinds that are right there, or that other tests have. */
  readonly not?: readonly Kind[];
  /** What the error names; the file by default. */
  readonly says?: string;
}

const withBatch = ({ directory }: TestWorld): void => {
  writeBatch(directory, [{ ending: 'completed', output: 'http://127.0.0.1:1/x' }, undefined]);
};
const without =
  (...names: readonly string[]) =>
  (world: TestWorld): void => {
    withBatch(world);
    for (const name of names) execFileSync('rm', [join(world.directory, name)]);
  };

const OF_THE_USER: readonly Kind[] = ['a file of the user', 'a link to a file of the user'];
/** A link under a name that the user gives is followed. */
const NOWHERE: readonly Kind[] = ['a link to nowhere'];
const CONFIG = '.config/berth/config.json';
const STATE = '.local/share/berth/local/state.json';
const journal = (...argv: readonly string[]): Case => ({
  file: 'out.jsonl.journal',
  prepare: without('out.jsonl.journal'),
  argv,
});
const results = (...argv: readonly string[]): Case => ({ file: 'out.jsonl', prepare: without('out.jsonl'), argv });
const toFile = (argv: readonly string[], not: readonly Kind[]): Case => ({
  file: 'page',
  prepare: withBatch,
  argv: [...argv, 'page'],
  not,
});

const NEEDED: readonly Case[] = [
  { file: CONFIG, argv: ['auth', 'list'] },
  { file: CONFIG, argv: ['config', 'set', 'timeout', '5s'] },
  {
    file: 'key',
    env: { BERTH_API_KEY: '', BERTH_API_KEY_FILE: 'key' },
    argv: ['pods', 'list'],
    not: ['a pipe', ...OF_THE_USER],
  },
  { file: 'state', argv: ['local', 'exec', '--state', 'state', 'true'] },
  { file: 'state', argv: ['local', 'serve', '--state', 'state', '--port', '0'] },
  { file: STATE, argv: ['--local', 'pods', 'list'] },
  journal('jobs', 'batch', 'status', 'out.jsonl'),
  journal('jobs', 'batch', 'report', 'out.jsonl'),
  journal('jobs', 'batch', 'export', 'out.jsonl'),
  journal('jobs', 'batch', 'resume', 'out.jsonl'),
  {
    ...journal('jobs', 'batch', 'run', 'demo', '--input', 'in.jsonl', '--out', 'out.jsonl'),
    prepare: without('out.jsonl', 'out.jsonl.journal'),
    says: 'out.jsonl',
  },
  results('jobs', 'batch', 'report', 'out.jsonl'),
  results('jobs', 'batch', 'export', 'out.jsonl'),
  { ...results('jobs', 'batch', 'resume', 'out.jsonl'), not: ['a file of the user'] },
  {
    ...results('jobs', 'batch', 'run', 'demo', '--input', 'in.jsonl', '--out', 'out.jsonl'),
    prepare: without('out.jsonl', 'out.jsonl.journal'),
    not: NOWHERE,
  },
  toFile(['jobs', 'batch', 'export', 'out.jsonl', '--out'], NOWHERE),
  toFile(['jobs', 'batch', 'report', 'out.jsonl', '--html'], NOWHERE),
];

const kinds = Object.keys(KINDS) as readonly Kind[];

/** Every kind for the first command of a file, and for the others what is read in another way. */
const FEW: readonly Kind[] = ['a folder', 'a link to nowhere', 'a file of the user'];
const kindsFor = (each: Case): readonly Kind[] =>
  NEEDED.find(({ file }) => file === each.file) === each ? kinds : FEW;

describe.each(NEEDED)('$file and berth $argv', (each) => {
  const { file, argv, prepare, env, not = [], says = file } = each;
  test.each(kindsFor(each).filter((kind) => !not.includes(kind)))('%s in its place: 14, and it stays', async (kind) => {
    const server = await serve([json({ id: 'pod1' })]);
    const world = createTestWorld({ env: { ...pointedAt(server.url), ...env } });
    prepare?.(world);
    const ran = await withInTheWay(kind, join(world.directory, file), () => berthIn(world, argv));
    expectBlock(ran, { exit: 14, says: [says] });
    expect(server.seen.map(({ method }) => method).filter((method) => method !== 'GET')).toEqual([]);
  });
});

test.each(['', 'notes', '{"notes":1}', '{"version":3,"mappings":""}'])(
  'a hint about a foreign file %j of --state never names the command that empties the state of --local',
  async (content) => {
    const world = createTestWorld();
    writeFileSync(join(world.directory, 'notes.json'), content);
    for (const argv of [
      ['local', 'exec', '--state', 'notes.json', 'true'],
      ['--local', 'local', 'serve', '--state', 'notes.json', '--port', '0'],
    ]) {
      const { code, err } = await berthIn(world, argv);
      expect([code, err]).toEqual([14, expect.stringContaining('Name another file: --state.')]);
      expect(err).not.toContain('local reset');
      expect(readFileSync(join(world.directory, 'notes.json'), 'utf8')).toBe(content);
      expect(readdirSync(world.directory).filter((name) => name.startsWith('notes'))).toEqual(['notes.json']);
    }
  },
);

const DATA = '.local/share/berth';
const created = json({ id: 'pod1', name: 'train' }, 201);

/** Files that only remember something, and a command that would write each. */
const REMEMBERED: readonly (readonly [string, readonly string[]])[] = [
  [`${DATA}/remembered/lists-default.json`, ['templates', 'create', 'train', '--image', 'a', '-o', 'id']],
  [`${DATA}/remembered/jobs-default.json`, ['jobs', 'run', 'ep', '--input', '{}', '-o', 'id']],
];

describe.each(REMEMBERED)('%s', (file, argv) => {
  test('is written where nothing is in the way', async () => {
    const world = createTestWorld({ env: pointedAt((await serve([created])).url) });
    await berthIn(world, argv);
    expect(existsSync(join(world.directory, file))).toBe(true);
  });

  // A file of text in berth's own folder is what is left of a damaged one: it is replaced.
  test.each(kinds.filter((kind) => kind !== 'a file of the user'))(
    '%s in its place: nothing is remembered',
    async (kind) => {
      const server = await serve([created]);
      const world = createTestWorld({ env: pointedAt(server.url) });
      const ran: Ran = await withInTheWay(kind, join(world.directory, file), () => berthIn(world, argv));
      expect([ran.code, ran.out, ran.err]).toEqual([0, 'pod1\n', '']);
    },
  );
});

interface CodeCache {
  readonly read: (file: string, source: Buffer) => Buffer | undefined;
  readonly write: (scripts: readonly { file: string; source: Buffer; script: Script }[]) => void;
}
const { openCodeCache } = createRequire(import.meta.url)('../../bin/code-cache.cjs') as {
  readonly openCodeCache: (env: object, version: string) => CodeCache;
};

test.each(kinds.filter((kind) => kind !== 'a file of the user'))(
  '%s in the place of the code cache: it is not used',
  async (kind) => {
    const { directory } = createTestWorld();
    const source = Buffer.from('1 + 1');
    const script = { file: 'main.js', source, script: new Script(source.toString()) };
    const cache = openCodeCache({ XDG_CACHE_HOME: directory }, '1');
    cache.write([{ ...script, file: 'other.js' }]);
    expect(cache.read('other.js', source)).toBeInstanceOf(Buffer);
    const folder = join(directory, 'berth', readdirSync(join(directory, 'berth'))[0] ?? '');
    await withInTheWay(kind, join(folder, 'main.js'), async () => {
      expect(cache.read('main.js', source)).toBeUndefined();
      cache.write([script]);
      expect(cache.read('main.js', source)).toBeUndefined();
    });
  },
);
