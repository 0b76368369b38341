import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeText } from '../../../../../src/core/safe-text.ts';
import { decodeCommand } from '../../../../../src/local/model/container.ts';
import { temporaryDirectory } from '../../../../support/files/temporary-directory.ts';
import { json, pointedAt, serve } from '../../../../support/servers/scripted-server.ts';
import { berth, berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';

/** Arguments that a careless quotation breaks. */
const ODD = [
  '',
  ' ',
  'a b',
  "it's",
  '"',
  '\\',
  '\\n',
  'a\nb',
  '\t',
  '$HOME',
  '`id`',
  '!x',
  '--',
  '-x',
  '--yes',
  '*',
  'é🚀',
  '\u202e',
  '{}',
  '#',
];

/** The words that a shell makes of a line. */
const shellWords = (line: string): readonly string[] =>
  execFileSync('bash', ['--norc', '-c', `for word in ${line}; do printf '%s\\0' "$word"; done`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
    .split('\0')
    .slice(0, -1);

/** The value of a line of a detail view. */
const lineOf = (out: string, label: string): string | undefined =>
  new RegExp(`^ *${label}[ \\t]+(.*)$`, 'm').exec(out)?.[1];

interface Sent {
  readonly method: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a command would send, at a service whose rows are all `row`. */
async function preview(argv: readonly string[], row: object = {}): Promise<Sent['body']> {
  const server = await serve(Array.from({ length: 4 }, () => json({ id: 'x', name: 'n', ...row })));
  const [noun = '', verb = '', ...words] = argv;
  const { code, out, err } = await berth([noun, verb, '--dry-run', ...words], { env: pointedAt(server.url) });
  expect(code, err).toBe(0);
  return (JSON.parse(out) as Sent).body;
}

const CREATES: Readonly<Record<string, readonly string[]>> = {
  pods: ['--name', 'a', '--gpu', 'G', '--image', 'i'],
  endpoints: ['--name', 'a', '--gpu-pool', 'P', '--image', 'i'],
  templates: ['--name', 'a', '--image', 'i'],
  clusters: ['--name', 'a', '--type', 'RAY', '--gpu', 'G', '--gpu-count', '1', '--pods', '2'],
};
const WRITES = [
  ...Object.entries(CREATES).map(([noun, flags]) => [`${noun} create`, [noun, 'create', ...flags]] as const),
  ...['pods', 'endpoints', 'templates'].map((noun) => [`${noun} update`, [noun, 'update', 'x']] as const),
];

describe('the command of a container', () => {
  test.each(WRITES)('%s sends its words as they are given', async (_, argv) => {
    const entrypoint = ['--entrypoint=--', '--entrypoint', ''];
    expect(await preview([...argv, ...entrypoint, '--', ...ODD])).toMatchObject({ cmd: ODD, entrypoint: ['--', ''] });
  });

  test.each([
    ['a word before --', ['x', '--', 'serve'], 'use either NAME or --name'],
    ['both forms', ['--args', 'a', '--', 'b'], 'use either --args or'],
    ['--cmd and --', ['--cmd', 'a', '--', 'b'], 'use either --cmd or'],
  ])('refuses %s', async (_, words, says) => {
    const { code, out, err } = await berth(['--local', 'templates', 'create', '--name', 'a', '--image', 'i', ...words]);
    expect([code, out]).toEqual([2, '']);
    expect(err.replace(/\s+/g, ' ')).toContain(says);
  });

  test('is shown as a line that a shell, and the service, split into what was sent', async () => {
    const world = createTestWorld();
    const local = async (...argv: readonly string[]): Promise<string> => {
      const { code, out, err } = await berthIn(world, ['--local', 'templates', ...argv]);
      expect(code, err).toBe(0);
      return out;
    };
    const word = fc
      .oneof(fc.constantFrom(...ODD), fc.string({ unit: 'grapheme', maxLength: 8 }))
      // Control characters are shown as escapes.
      .filter((text) => safeText(text) === text);
    const words = fc.array(word, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(words, words, async (entrypoint, cmd) => {
        const flags = entrypoint.map((each) => `--entrypoint=${each}`);
        const created = await local('create', '--name', 'a', '--image', 'i', '-o', 'json', ...flags, '--', ...cmd);
        const { id, args } = JSON.parse(created) as { readonly id: string; readonly args: string };
        const out = await local('get', id);
        const lines = ['container entrypoint', 'container cmd'].map((label) => lineOf(out, label) ?? '');
        expect(shellWords(lines.join(' '))).toEqual([...entrypoint, ...cmd]);
        expect(decodeCommand(args)).toEqual({ entrypoint, cmd });
      }),
      { numRuns: 5 },
    );
  });

  test('of an older service is what args says', async () => {
    const shown = async (row: object): Promise<readonly (string | undefined)[]> => {
      const server = await serve([json({ id: 'x', name: 'n', ...row })]);
      const { out } = await berth(['templates', 'get', 'x'], { env: pointedAt(server.url) });
      return [lineOf(out, 'container entrypoint'), lineOf(out, 'container cmd')];
    };
    expect(await shown({ args: 'serve --port "8 0"' })).toEqual([undefined, 'serve --port "8 0"']);
    expect(await shown({ args: '{"entrypoint":["a b"],"cmd":["-c"]}' })).toEqual(["'a b'", '-c']);
    expect(await shown({ args: '{"other":1}' })).toEqual([undefined, '{"other":1}']);
  });
});

describe('a document with a command, and flags', () => {
  const document = (members: object): string => {
    const path = join(temporaryDirectory(), 'it.json');
    writeFileSync(path, JSON.stringify(members));
    return path;
  };
  const BOTH = { args: '{"entrypoint":["python"],"cmd":["a"]}', entrypoint: ['python'], cmd: ['a'] };

  test.each<[string, object, readonly string[], object]>([
    ['--args takes the arrays away', BOTH, ['--args', 'b c'], { args: 'b c' }],
    ['--cmd takes args away and keeps the entrypoint', BOTH, ['--cmd', 'b'], { entrypoint: ['python'], cmd: ['b'] }],
    ['--set cmd does', BOTH, ['--set', 'cmd=["b"]'], { entrypoint: ['python'], cmd: ['b'] }],
    ['words after -- do', BOTH, ['--', 'b'], { entrypoint: ['python'], cmd: ['b'] }],
    [
      '--entrypoint keeps the command that args says',
      { args: 'a "b c"', entrypoint: [] },
      ['--entrypoint', 'sh'],
      { entrypoint: ['sh'], cmd: ['a', 'b c'] },
    ],
    ['without flags both forms stay', BOTH, [], BOTH],
  ])('%s', async (_, members, flags, command) => {
    const {
      name: _name,
      image: _image,
      ...sent
    } = await preview(['templates', 'create', '--name', 'a', '--image', 'i', '--file', document(members), ...flags]);
    expect(sent).toEqual(command);
  });

  test.each([
    ['cmd was edited', { args: 'a', cmd: ['b'] }, { cmd: ['b'] }],
    ['args was edited', { args: 'b', cmd: ['a'] }, { args: 'b' }],
  ])('of an update: where %s, that is meant', async (_, members, command) => {
    const row = { args: 'a', cmd: ['a'], entrypoint: [] };
    expect(await preview(['templates', 'update', 'x', '--file', document(members)], row)).toEqual(command);
  });
});

describe('a change of the command of a running pod', () => {
  const POD = {
    id: 'x',
    name: 'lab',
    status: 'RUNNING',
    mounts: {},
    args: "a  'b c'",
    entrypoint: [],
    cmd: ['a', 'b c'],
  };
  const said = async (flags: readonly string[]): Promise<string> => {
    const server = await serve([json(POD), json(POD)]);
    const { err } = await berth(['pods', 'update', 'x', ...flags], { env: pointedAt(server.url) });
    return /restarts \((.*)\): container disk erased/.exec(err.replace(/\s+/g, ' '))?.[1] ?? err;
  };

  test.each<[readonly string[], string]>([
    [['--args', 'a "b c"'], 'updated pod lab\n'],
    [['--', 'a', 'b c'], 'updated pod lab\n'],
    [['--args', 'a b c'], 'args'],
    [['--entrypoint', 'sh', '--', 'x'], 'entrypoint, cmd'],
  ])('%j', async (flags, changed) => {
    expect(await said(flags)).toBe(changed);
  });
});
