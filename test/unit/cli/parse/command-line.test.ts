import { describe, expect, it } from 'vitest';
import { defineCommand, defineGroup, type Noun } from '../../../../src/cli/model/command.ts';
import { outputOptions } from '../../../../src/cli/model/global-flags.ts';
import { parseCommandLine, type Invocation, type InvalidCommandLine } from '../../../../src/cli/parse/command-line.ts';
import { arg, option } from '../../../../src/cli/model/params.ts';
import { FLAGS } from '../../../../src/registry.ts';
import { hintWith } from '../../../support/text/hint-of.ts';

const get = defineCommand({
  summary: 'get a thing',
  args: { id: arg.text('id'), more: { ...arg.many('others'), required: false } },
  options: {
    input: option.text('text'),
    waitTimeout: option.duration('time', 's'),
    label: option.list('labels'),
    olderThan: option.durationWithUnit('age'),
    kind: option.choice('kind', ['ONE', 'TWO']),
    size: option.count('size', 10, { most: 20 }),
    noQueueLimits: option.on('a switch that begins with no'),
    force: option.on('a switch'),
  },
  writes: true,
  run: () => Promise.resolve({ kind: 'nothing' }),
});
const drop = defineCommand({
  summary: 'drop things',
  args: { id: arg.ids('ids') },
  options: { timeout: option.duration('a flag of its own that has the name of a global one', 's') },
  run: () => Promise.resolve({ kind: 'nothing' }),
});
const things = defineGroup('things', { get, drop, remove: drop, deep: defineGroup('deep', { get }) });
const noun: Noun = { name: 'things', summary: 'things', section: 'x', load: () => Promise.resolve(things) };
const others: Noun = { ...noun, name: 'pods' };

const program = {
  nouns: new Map([
    ['things', noun],
    ['pods', others],
  ]),
  flags: FLAGS,
};
const mounted = (...argv: string[]): Promise<Invocation | InvalidCommandLine> => parseCommandLine(argv, program);

async function read(...argv: string[]): Promise<Invocation> {
  const came = await mounted(...argv);
  if ('failure' in came) throw came.failure;
  return came;
}

async function refused(...argv: string[]): Promise<InvalidCommandLine> {
  const came = await mounted(...argv);
  if (!('failure' in came)) throw new Error(`${argv.join(' ')} was not refused`);
  return came;
}

describe('parsing the command line', () => {
  it.each<[string[], object]>([
    [['things', 'get', 'a'], { id: 'a' }],
    [['things', 'get', 'a', 'b', 'c'], { id: 'a', more: ['b', 'c'] }],
    [['things', 'get', 'a', 'b', 'b'], { id: 'a', more: ['b', 'b'] }],
    [['things', 'drop', 'b', 'a', 'b'], { id: ['b', 'a'] }],
    [['things', 'get', '--input', '--jsn', 'a'], { id: 'a', input: '--jsn' }],
    [['things', 'get', '--input=--json', 'a'], { id: 'a', input: '--json' }],
    [['things', 'get', '--', '--input', '--json'], { id: '--input', more: ['--json'] }],
    [['things', 'get', '--input=-x', 'a'], { id: 'a', input: '-x' }],
    [['things', 'get', '--', '-a'], { id: '-a' }],
    [['things', 'get', 'a', '--no-input'], { id: 'a' }],
    [['things', 'get', 'a', '--no-input', '--input', 'x'], { id: 'a', input: 'x' }],
    [['things', 'get', 'a', '--label', 'x,y', '--label', 'z'], { id: 'a', label: ['x', 'y', 'z'] }],
    [['things', 'get', 'a', '--wait-timeout', '1h30m'], { id: 'a', waitTimeout: 5_400_000 }],
    [['things', 'get', 'a', '--older-than', '3d'], { id: 'a', olderThan: 259_200_000 }],
    [['things', 'get', 'a', '--kind', 'two'], { id: 'a', kind: 'TWO' }],
    [
      ['things', 'get', 'a', '--no-queue-limits', '--force', '--dry-run'],
      { id: 'a', noQueueLimits: true, force: true, dryRun: true },
    ],
    [['things', 'get'], {}],
  ])('%j', async (argv, values) => {
    expect((await read(...argv)).values).toEqual(values);
  });

  it.each<[string[], object]>([
    [['--json', 'things', 'get', 'a'], { json: true }],
    [['things', '--json', 'get', 'a'], { json: true }],
    [['things', 'get', 'a', '--json'], { json: true }],
    [['things', 'get', 'a', '--no-color', '--no-input'], { 'no-color': true, 'no-input': true }],
    [['things', 'get', 'a', '--base-url', 'http://localhost:1'], { 'base-url': 'http://localhost:1' }],
    [['things', 'get', '-h'], { help: true }],
    [['things', 'get', 'a', '--raw', '--jq', '.id'], { raw: true, jq: '.id' }],
    [['things', 'get', 'a', '--input', 'x'], {}],
    [['things', 'get', 'a', '--input', 'x', '--no-input'], { 'no-input': true }],
    [['things', 'get', 'a', '--timeout', '5'], { timeout: '5' }],
    [['things', 'drop', 'a', '--timeout', '5'], {}],
    [['--timeout', '1m', 'things', 'drop', 'a', '--timeout', '5'], { timeout: '1m' }],
  ])('reads global flags at any position: %j', async (argv, globals) => {
    expect((await read(...argv)).globals).toEqual(globals);
  });

  const NOTHING_SET = { get: () => undefined as never };

  it('refuses --raw without --jq', () => {
    expect(outputOptions({ raw: true, jq: '.id' }, NOTHING_SET).raw).toBe(true);
    expect(() => outputOptions({ raw: true }, NOTHING_SET)).toThrow('--raw needs --jq');
  });

  it('finds a verb of a nested group', async () => {
    expect((await read('things', 'deep', 'get', 'x')).path).toEqual(['things', 'deep', 'get']);
  });

  it.each<[string[], RegExp]>([
    [['things', 'get', '-a'], /unknown option '-a'/],
    [['things', 'gett', 'a'], /unknown command 'gett'/],
    [['things', 'get', '--api-key=sk-SECRET'], /option '--api-key' is unknown/],
    [['things', 'get', '-ksk-SECRET'], /unknown option '-k'$/],
    [['things', 'get', '-json'], /unknown option '-json'$/],
    [['things', 'get', 'a', '--kind', 'three'], /--kind is one of ONE, TWO/],
    [['things', 'get', 'a', '--size', '9'], /--size is at least 10; 9 is too small/],
    [['things', 'get', 'a', '--size', '21'], /--size is at most 20; 21 is too large/],
    [['things', 'get', 'a', '--size', '1.5'], /--size takes a whole number/],
    [['things', 'get', 'a', '--size', '1e1'], /--size takes a whole number/],
    [['things', 'get', 'a', '--wait-timeout', 'soon'], /--wait-timeout is not a duration/],
    [['things', 'get', 'a', '--older-than', '3'], /--older-than needs a unit: 3/],
    [['things', 'get', 'a', '--older-than', 'soon'], /--older-than is not a duration/],
    [['things', 'get', 'a', '--input'], /--input needs a value/],
    [['things', 'get', '--input', '--json', 'a'], /^--input needs a value, and --json is a flag$/],
    [['things', 'get', 'a', '--input', '--force'], /^--input needs a value, and --force is a flag$/],
    [['things', 'get', 'a', '-o', '--force'], /^--output needs a value, and --force is a flag$/],
  ])('refuses %j with exit 2', async (argv, message) => {
    const { failure } = await refused(...argv);
    expect(failure).toMatchObject({ exit: 2, message: expect.stringMatching(message) as string });
  });

  it.each(['--api-key=', '--force=', '--Token=', '-k', '-k=', '-', '--dry-run=x\n'])(
    'never prints the value of a flag that it refuses: %j',
    async (flag) => {
      const said: unknown[] = [];
      for (const argv of [
        ['things', 'get', `${flag}sk-SECRET'1`],
        ['things', `${flag}sk-SECRET`, 'get'],
        [`${flag}x\nsk-SECRET`, 'things'],
      ])
        said.push((await refused(...argv)).failure.facts());
      expect(said).toHaveLength(3);
      expect(JSON.stringify(said)).not.toContain('SECRET');
    },
  );

  it.each<[string[], string]>([
    [['things', 'deep', 'get', '--wrong', 'x'], 'See `berth things deep get --help`.'],
    [['things', 'get', '--api-key=sk-SECRET'], 'auth login --with-key <'],
    [['things', 'get', '-a'], 'after --'],
    [['things', 'get', '-a'], 'See `berth things get --help`.'],
    [['things', 'get', 'a', '--inptu', 'x'], 'Did you mean --input?'],
    [['things', 'GET', 'a'], 'Did you mean get?'],
    [['PODS'], 'Did you mean pods?'],
  ])('the hint for %j contains: %s', async (argv, hint) => {
    const { failure } = await refused(...argv);
    expect(failure).toMatchObject({ exit: 2, hint: hintWith(hint) });
  });

  it.each<[string[], object]>([
    [['--json', 'thigns'], { json: true }],
    [['thigns', '-ojsonl'], { output: 'jsonl' }],
    [['things', 'gett', '--output=jsonl'], { output: 'jsonl' }],
    [['things', 'get', '--wrong', '--json'], { json: true }],
    [['things', 'get', 'a', '--size', '1', '-o', 'json'], { output: 'json' }],
    [['things', 'get', 'a', '--json', '--input'], { json: true }],
    [['things', 'drop', '--', '--json', '-x'], {}],
  ])('returns the global flags of a refused command line: %j', async (argv, globals) => {
    const came = await mounted(...argv);
    expect(came.globals).toEqual(globals);
  });
});
